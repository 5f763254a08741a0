"""Settings, all read from environment variables. The defaults need no server, so that a fresh clone runs.

Defaults: SQLite, a broker in a folder, files on disk, e-mail to the console. To use servers instead, set
DATABASE_URL, BROKER_URL, S3_BUCKET and EMAIL_URL.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

from benchsite import identity_providers, model_servers

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")


def boolean(name: str, *, default: bool) -> bool:
    """Read a boolean setting. Raises ImproperlyConfigured for a typo, instead of reading it as False."""
    text = env.str(name, default=str(default)).strip().lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off", ""}:
        return False
    raise ImproperlyConfigured(f"{name}={text!r} is not a boolean. Use true or false.")


def folder(name: str, *, default: Path) -> Path:
    """Read a folder setting. An empty variable counts as unset, because it would mean the current directory."""
    return Path(env.str(name, default="") or default)


def networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Read a setting that lists networks, such as `10.0.0.0/8,127.0.0.1`."""
    try:
        return [ipaddress.ip_network(each.strip()) for each in env.list(name, default=[])]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}. For example: 10.0.0.0/8,127.0.0.1") from error


DATA_DIR = folder("DATA_DIR", default=BASE_DIR / "var")
try:
    DATA_DIR.mkdir(parents=True, exist_ok=True)
except OSError as error:
    raise ImproperlyConfigured(f"DATA_DIR={DATA_DIR} cannot be created: {error.strerror}.") from error
if not os.access(DATA_DIR, os.W_OK | os.X_OK):
    raise ImproperlyConfigured(
        f"DATA_DIR={DATA_DIR} cannot be written to. Name a folder that this account may write to."
    )


def secret_key() -> str:
    """Read SECRET_KEY from the environment. If it is not set, SQLite sites get a key generated beside the database."""
    if configured := env.str("SECRET_KEY", default=""):
        return configured
    path = DATA_DIR / "secret_key"
    if not (env.str("DATABASE_URL", default="") or "sqlite").startswith("sqlite"):
        raise ImproperlyConfigured(
            "SECRET_KEY is not set, but DATABASE_URL names a server that several machines can share: with different "
            "keys they would sign out each other's users. Set the same key on all machines"
            + (f"; the key of this machine is in {path}." if path.exists() else ", a long random text.")
        )
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(get_random_secret_key())
    return path.read_text()


DEBUG = boolean("DEBUG", default=False)
SECRET_KEY = secret_key()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]", "testserver"])
CSRF_FAILURE_VIEW = "leaderboard.web.stale.csrf_failure"
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
#: Public address of this site with its path; empty: no pages are rendered ahead.
SITE_URL = env.str("SITE_URL", default="").rstrip("/")
#: Path of this site. Never taken from a header: pages are stored for all readers under it.
FORCE_SCRIPT_NAME = (env.str("SCRIPT_NAME", default="") or urlsplit(SITE_URL).path).rstrip("/")
if FORCE_SCRIPT_NAME and not FORCE_SCRIPT_NAME.startswith("/"):
    raise ImproperlyConfigured(
        f"SCRIPT_NAME={FORCE_SCRIPT_NAME!r} is not a path. It begins with a slash: /bench."
    )
SITE_NAME = env.str("SITE_NAME", default="GoldEvidenceBench")
#: Shown in the footer and on /about/: address of the source, and a contact (mail or page). Empty: left out.
SOURCE_URL = env.str("SOURCE_URL", default="")
CONTACT = env.str("CONTACT", default="")

INSTALLED_APPS = [
    "leaderboard.admin_site.BenchmarkAdminConfig",  # django.contrib.admin, with its site
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.sitemaps",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
    "django_filters",
    "django_htmx",
    "django_tables2",
    "ninja",
    "leaderboard",
]

MIDDLEWARE = [
    "leaderboard.watch.middleware.WatchMiddleware",
    "benchsite.middleware.HostMiddleware",
    "benchsite.middleware.HeadMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.ready_pages.middleware.ReadyPageMiddleware",
    "leaderboard.web.middleware.PackMiddleware",
    "benchsite.middleware.NoNulMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "leaderboard.accounts.acting.ActingMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "leaderboard.web.middleware.SignedOutMiddleware",
    "leaderboard.accounts.middleware.FormerNameMiddleware",
    "leaderboard.web.middleware.ApiMiddleware",
]

ROOT_URLCONF = "benchsite.urls"
WSGI_APPLICATION = "benchsite.wsgi.application"
TEMPLATE_LOADERS = [
    "leaderboard.web.template_loader.Loader",
    "django.template.loaders.app_directories.Loader",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": TEMPLATE_LOADERS
            if DEBUG
            else [("django.template.loaders.cached.Loader", TEMPLATE_LOADERS)],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.web.context_processors.site",
            ],
        },
    },
]


def database(url: str) -> dict[str, Any]:
    """Parse the URL of a database, whose host may be a percent-encoded socket folder. Errors omit the password."""
    try:
        found: dict[str, Any] = environ.Env.db_url_config(url)
    except ValueError:
        found = {}
    if not str(found.get("ENGINE", "")).startswith("django."):
        raise ImproperlyConfigured(
            "DATABASE_URL is not the URL of a database, such as postgres://user:password@host/name. "
            "Special characters in its parts must be percent-encoded."
        )
    host = unquote(str(found["HOST"]))
    return {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True, **found, "HOST": host}


# Database. SQLite as several processes need it: write-ahead log, writers queue up at BEGIN instead of failing
# at COMMIT (immediate transactions), and wait for each other up to the timeout.
DATABASES = {"default": database(env.str("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'site.sqlite3'}"))}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["CONN_MAX_AGE"] = None
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHE_URL = env.str("CACHE_URL", default="")


def cache(folder: str, *, entries: int) -> dict[str, object]:
    """Settings of a cache: in Redis if CACHE_URL is set, else in `folder`, with at most `entries` entries.

    A full folder drops a third of its entries.
    """
    if CACHE_URL:
        backend = "benchsite.redis_cache.Cache"
        return {"BACKEND": backend, "LOCATION": CACHE_URL, "KEY_PREFIX": folder}
    backend = "django.core.cache.backends.filebased.FileBasedCache"
    return {"BACKEND": backend, "LOCATION": DATA_DIR / folder, "OPTIONS": {"MAX_ENTRIES": entries}}


CACHES = {
    # Limits of API and sign-in count here, so that entries of boards evict no counter. Each write
    # lists the folder, so it is kept short.
    "default": cache("limits", entries=2_000),
    # With Django's 300, boards would be ranked again and again: 100 versions under 20 filters are 2,000. Each write
    # lists the folder (25 ms at 10,000 entries), and a board of 1,000 systems takes 26 kB, so a full one stays small.
    "results": cache("cache", entries=10_000),
}

# Files: frozen rows, gold, predictions and verdicts, named by their SHA-256. S3_BUCKET moves them to S3.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    "artifacts": (
        {
            "BACKEND": "benchsite.bucket.Bucket",
            "OPTIONS": {
                "bucket_name": env.str("S3_BUCKET"),
                "endpoint_url": env("S3_ENDPOINT", default=None),
                "file_overwrite": True,
            },
        }
        if env.str("S3_BUCKET", default="")
        else {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": DATA_DIR / "artifacts"},
        }
    ),
}

# Celery: the broker only wakes workers (the database is the truth), so that a folder suffices for small sites.
BROKER_DIR = DATA_DIR / "broker"
CELERY_BROKER_URL = env.str("BROKER_URL", default="filesystem://")
if CELERY_BROKER_URL == "filesystem://":
    (BROKER_DIR / "queue").mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR / "queue"),
        "data_folder_out": str(BROKER_DIR / "queue"),
        "control_folder": str(BROKER_DIR / "control"),
        "polling_interval": 0.2,
    }
elif CELERY_BROKER_URL.startswith("redis"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        # The reaper finds messages of dead workers. Kombu's own record of them, in Redis, is read when a
        # connection breaks, through that connection: each restart of Redis killed workers that held a message.
        "ack_emulation": False,
        "socket_connect_timeout": 5,
        "socket_timeout": 30,
    }
CELERY_WORKER_POOL = "benchsite.pool:TaskPool"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "grading"
CELERY_TASK_ROUTES = {
    "leaderboard.tasks.execute_run": {"queue": "models"},
    "leaderboard.tasks.calibrate": {"queue": "models"},
    "leaderboard.tasks.check_model": {"queue": "models"},
    "leaderboard.tasks.execute_bench": {"queue": "models"},
    "leaderboard.tasks.calibrate_bench": {"queue": "models"},
    "leaderboard.tasks.execute_loop": {"queue": "models"},
    "leaderboard.tasks.execute_server_run": {"queue": "servers"},
    "leaderboard.tasks.execute_server_bench": {"queue": "servers"},
    "leaderboard.tasks.calibrate_server_bench": {"queue": "servers"},
    "leaderboard.tasks.calibrate_server": {"queue": "servers"},
}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # workers outlive any absence of the broker
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")  # for workers still started with -B
#: Leases are renewed three times within this time; expired ones are found by the next round of the reaper.
LEASE_SECONDS = env.int("LEASE_SECONDS", default=120)
REAP_SECONDS = env.float("REAP_SECONDS", default=15.0)
#: Interval of copying a run's new rows to the artifact store, if workers have disks of their own.
COPY_SECONDS = env.float("COPY_SECONDS", default=30.0)

#: After a write, readers without a session may get the old page for this long, while it is rendered again.
READY_PAGES_STALE_SECONDS = env.int("READY_PAGES_STALE_SECONDS", default=5)

# Limits of an upload, and fairness.
UPLOAD_MAX_BYTES = env.int("UPLOAD_MAX_BYTES", default=64 << 20)
UPLOAD_MAX_EXPANDED_BYTES = env.int("UPLOAD_MAX_EXPANDED_BYTES", default=512 << 20)
#: For published data sets with gold, uploaded by staff: 4,800 flat rows of GoldEvidenceBench have 300 MB.
IMPORT_MAX_BYTES = env.int("IMPORT_MAX_BYTES", default=2 << 30)
IMPORT_MAX_EXPANDED_BYTES = env.int("IMPORT_MAX_EXPANDED_BYTES", default=8 << 30)
#: CPU seconds of a file check, which runs in its own process, and concurrent checks: fewer than the threads of one
#: web process, so that pages are served meanwhile.
CHECK_SECONDS = env.int("CHECK_SECONDS", default=30)
CHECKS_AT_ONCE = env.int("CHECKS_AT_ONCE", default=2)
#: Show uploaded results on boards only after a moderator's approval.
APPROVAL = boolean("APPROVAL", default=False)
#: Days after which uploaded predictions, and transcripts of runs, are removed; 0: never.
KEEP_UPLOADS_DAYS = env.int("KEEP_UPLOADS_DAYS", default=0)
KEEP_TRANSCRIPTS_DAYS = env.int("KEEP_TRANSCRIPTS_DAYS", default=0)
#: New systems per account and day.
SYSTEMS_PER_DAY = env.int("SYSTEMS_PER_DAY", default=50)
SUBMISSIONS_PER_DAY = env.int("SUBMISSIONS_PER_DAY", default=50)
SUBMISSIONS_PER_SEALED_VERSION = env.int("SUBMISSIONS_PER_SEALED_VERSION", default=10)
#: Uploads to a sealed version per network address (IPv6: /64) and UTC day.
SEALED_UPLOADS_PER_ADDRESS_PER_DAY = env.int("SEALED_UPLOADS_PER_ADDRESS_PER_DAY", default=50)
SUBMISSIONS_PER_VERSION_PER_DAY = env.int("SUBMISSIONS_PER_VERSION_PER_DAY", default=20)
#: Requests per minute and account, or per address without one.
API_RATES = {
    "read": env.int("API_READS_PER_MINUTE", default=600),
    "upload": env.int("API_UPLOADS_PER_MINUTE", default=60),
    "wrong_token": 60,  # per address; valid tokens pass regardless
}
#: For tests alone: webhooks may be sent to loopback addresses, and without TLS.
WEBHOOKS_TO_LOOPBACK = boolean("WEBHOOKS_TO_LOOPBACK", default=False)
#: Number of proxies that append to X-Forwarded-For; with 0 the header is ignored.
NINJA_NUM_PROXIES = ALLAUTH_TRUSTED_PROXY_COUNT = env.int("NUM_PROXIES", default=0)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 << 20
FILE_UPLOAD_HANDLERS = [
    "leaderboard.web.upload_handlers.BoundedUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
MODELS_DIR = folder("MODELS_DIR", default=DATA_DIR / "models")
#: Folder of the operator's own prose packs, outside the source. The engine reads the variable itself.
PROSE_PACKS = str(folder("PROSE_PACKS", default=DATA_DIR / "packs"))
os.environ["PROSE_PACKS"] = PROSE_PACKS
#: Name -> server that runs on the site may query. If empty, adapters for servers are not offered.
MODEL_SERVERS = model_servers.read(env.str("MODEL_SERVERS", default=""))
#: Stored part of a model's replies: all, reasoning by length only, or nothing.
TRANSCRIPTS = env.str("TRANSCRIPTS", default="full")
if TRANSCRIPTS not in ("full", "lengths", "off"):
    raise ImproperlyConfigured(f"TRANSCRIPTS={TRANSCRIPTS!r} is unknown. Use full, lengths or off.")

# Accounts
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
    "leaderboard.accounts.sign_in.FormerNameBackend",  # after the backends for present names
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "leaderboard:front"
ACCOUNT_ADAPTER = "leaderboard.accounts.sign_in.AccountAdapter"
#: `client id:secret` of each identity provider; if empty, sign-in with it is not offered.
SIGN_IN_KEYS = {
    "SIGN_IN_GITHUB": env.str("SIGN_IN_GITHUB", default=""),
    "SIGN_IN_HUGGING_FACE": env.str("SIGN_IN_HUGGING_FACE", default=""),
    "SIGN_IN_ORCID": env.str("SIGN_IN_ORCID", default=""),
}
SIGN_IN_LABELS = {provider.key: provider.label for provider in identity_providers.PROVIDERS.values()}
SOCIALACCOUNT_PROVIDERS = identity_providers.read(SIGN_IN_KEYS)
SOCIALACCOUNT_ADAPTER = "leaderboard.accounts.sign_in.SocialAccountAdapter"
SOCIALACCOUNT_AUTO_SIGNUP = False  # the name is public: each person chooses it
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = env.str("EMAIL_VERIFICATION", default="optional")
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True  # a way in while failed attempts lock the account
#: Sign-ups per network address (IPv6: /64) and day, beside five per minute.
SIGNUPS_PER_ADDRESS_PER_DAY = env.int("SIGNUPS_PER_ADDRESS_PER_DAY", default=20)
ACCOUNT_RATE_LIMITS = {"signup": f"5/m/ip,{SIGNUPS_PER_ADDRESS_PER_DAY}/d/ip"}
EMAIL_CONFIG = env.email("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
#: Mail waits in the outbox until a worker delivers it with MAIL_BACKEND.
MAIL_BACKEND = EMAIL_CONFIG["EMAIL_BACKEND"]
if MAIL_BACKEND.endswith(".smtp.EmailBackend"):
    EMAIL_BACKEND = "leaderboard.accounts.outbox.Backend"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="bench@localhost")

# Everything a page needs is served by the site itself.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        # Plotly draws with style attributes set from script (allowed) and style elements (these need the keyword).
        "style-src": [SELF, "'unsafe-inline'"],
        "img-src": [SELF, "data:", "blob:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF, *identity_providers.origins(SIGN_IN_KEYS)],
        "frame-ancestors": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
HTTPS = boolean("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
#: HSTS for subdomains and preloading are the domain owner's decision, made in the proxy.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

STATIC_URL = f"{FORCE_SCRIPT_NAME}/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = DEBUG
if DEBUG:
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
FORMAT_MODULE_PATH = "benchsite.formats"
DJANGO_TABLES2_TEMPLATE = "components/table.html"

#: Monitoring: access to /metrics, and the free room required on each disk.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
METRICS_NETWORKS = networks("METRICS_NETWORKS")
DISK_ROOM_BYTES = env.int("DISK_ROOM_BYTES", default=1 << 30)
#: Each process writes its metrics to a file there. Not shared between machines: files are named by process ids.
#: prometheus_client reads the variable when it is imported.
METRICS_DIR = folder("METRICS_DIR", default=DATA_DIR / "metrics" / socket.gethostname())
METRICS_DIR.mkdir(parents=True, exist_ok=True)
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_DIR)
#: Address, such as 10.0.0.7:9101, at which a worker serves its machine's metrics if no web server runs there.
WORKER_METRICS = env.str("WORKER_METRICS", default="")

LOG_FORMAT = env.str("LOG_FORMAT", default="text")
if LOG_FORMAT not in ("text", "json"):
    raise ImproperlyConfigured(f"LOG_FORMAT={LOG_FORMAT!r} is unknown. Use text or json.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request": {"()": "leaderboard.web.request_ids.AddRequestId"}},
    "formatters": {
        "text": {"format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"},
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "fmt": ["asctime", "levelname", "name", "process", "request_id", "message"],
        },
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["request"]}
    },
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
    "loggers": {
        "leaderboard": {"level": env.str("LOG_LEVEL", default="INFO")},
        "waitress.queue": {"level": "ERROR"},  # it warns of each request that waits for a thread
        "kombu.connection": {"level": "ERROR"},  # it warns that a broker in a folder has no host
    },
}

if SENTRY_DSN := env.str("SENTRY_DSN", default=""):
    from benchsite import sentry

    sentry.start(SENTRY_DSN)
