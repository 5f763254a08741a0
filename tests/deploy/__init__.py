"""The kit of docs/deploy: its files are linted, and its units and nginx.conf run as the processes of a small stack."""
