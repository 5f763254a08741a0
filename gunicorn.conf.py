"""Read by gunicorn where it is started in this folder (`gunicorn benchsite.wsgi`); its options come first."""

worker_class = "benchsite.server.BufferingWorker"
