"""The commands around the shipped runs. They stand apart: the folder of management commands is full."""
