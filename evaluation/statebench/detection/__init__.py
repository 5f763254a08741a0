"""Detects by wording which facts a conversation turn supersedes. Rules: `rules`. Interface: `detector.Detector`."""
