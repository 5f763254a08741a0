"""The learned model: what turns supersede where no rule speaks."""
