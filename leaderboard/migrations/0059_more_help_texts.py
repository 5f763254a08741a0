"""Reworded help texts and names of fields. Only the state of the models changes, not the database."""

from django.db import migrations

#: (model, field) -> its help text from now on.
HELP = {
    ("bench", "at_hand"): "The current cell and its progress.",
    ("bench", "bars"): "Bars (thresholds) with the values measured.",
    ("bench", "files_sha256"): "SHA-256 of the archive of the result folder; empty: no archive.",
    ("bench", "report"): "Engine's report of the finished cells.",
    ("bench", "suite_name"): "Suite that defines the measurements.",
    ("bench", "thresholds"): "Map from a bar to its changed threshold.",
    ("delayedtask", "args"): "Arguments of the task as a JSON list.",
    ("deletedaccount", "confirmed"): "True if its address was confirmed, so that boards show its results.",
    ("delivery", "message_id"): "Id of the message, the same in every attempt.",
    ("formername", "told_at"): "When a notice at sign-in told the owner of the new name; empty: not yet.",
    ("invitation", "ended"): "Whether the invitation was accepted, withdrawn or replaced.",
    (
        "likeness",
        "evidence",
    ): "Counts of equal answers. For a sealed version, shown only with permission to see the answers.",
    ("likeness", "seen_at"): "When a moderator reviewed the likeness.",
    (
        "likeness",
        "told",
    ): "Whether all readers see that the files are alike while answers are secret; true only if that reveals no answer.",
    ("mail", "message"): "Arguments of Django's EmailMultiAlternatives: subject, bodies and addresses.",
    ("modelholder", "queue"): "Queue that only this worker reads.",
    ("periodicwork", "done_at"): "When the periodic work was last done.",
    ("periodicwork", "token"): "Token of the worker with the lease.",
    ("preset", "name"): "Short name, part of the version's URL.",
    ("renderedpage", "good_until"): "When a relative time on the page, such as 5 min ago, becomes wrong.",
    ("renderedpage", "key"): "SHA-256 of the absolute address.",
    ("renderedpage", "state"): "Fingerprint of content and code.",
    ("run", "doing"): "The step that the worker is currently executing.",
    ("run", "mean"): "The mean submission that averages this run's repeats; empty: no mean.",
    ("score", "by_split"): "Whether metrics besides the headline, and metrics by split, are shown.",
    (
        "score",
        "cell_scores",
    ): "float32 pairs (sum, rows) per unit of each item of `cells`, compressed; empty: not reported.",
    ("score", "exact"): (
        "Metrics before rounding, for a version whose answers are secret; never shown on pages or in the "
        "API. Empty: the metrics are not rounded."
    ),
    ("score", "gated"): "A requirement failed: the score is shown without a rank.",
    ("score", "gates"): "State of each gate, computed from exact metrics; empty: computed from `metrics`.",
    (
        "score",
        "measures",
    ): "Measures of the context that the system builds, one item per token budget; empty: not measured.",
    (
        "score",
        "robust_scores",
    ): "float32 pairs (sum, rows) of the worst condition per unit; empty: not reported.",
    ("signingkey", "private"): "Ed25519 key: 32 bytes in hexadecimal.",
    ("signingkey", "public"): "Ed25519 key: 32 bytes in hexadecimal.",
    ("staffact", "account"): "Key of the account that acted; empty: a management command.",
    ("storedlengths", "figures"): "Compressed JSON, see `lengths.computing`.",
    ("storedlengths", "fingerprint"): "Fingerprint of the scores behind the figures.",
    ("storedlengths", "method"): "Name of the method that computed the figures.",
    ("storedplacements", "fingerprint"): "Fingerprint of the ranked scores.",
    ("storedplacements", "part"): "Name of the part of the rows that is ranked; empty: all rows.",
    ("storedplacements", "ranking"): "Name of the ranking method.",
    ("submission", "approval"): "Decision of a moderator; empty: submitted while this site did not moderate.",
    ("submission", "sent_from"): (
        "Hash of the sender's network, with a key that changes daily; only for versions with secret answers."
    ),
    (
        "submission",
        "transcripts_removed_at",
    ): "When the transcripts were removed because of KEEP_TRANSCRIPTS_DAYS.",
    (
        "system",
        "card_sources",
    ): "Map from a field of the card to the file or person that its value comes from.",
    ("system", "context"): "Maximum number of tokens that the model can read.",
    ("system", "main"): (
        "On boards with one system per model, show this one of your systems with the model. Choose before "
        "the system has a score. If none is chosen, boards show the first system."
    ),
    (
        "system",
        "seen_since",
    ): "Date from which on the training data may include rows of the benchmark; empty: not stated.",
    ("system", "weights"): "“With conditions” means that the licence limits who may use the weights, or for what.",
    ("version", "attacks"): "Scores of attackers: programs that answer without understanding the text.",
    (
        "version",
        "featured",
    ): "Whether lists and the guide begin with this version; true for one version at most.",
    ("version", "guessing"): "Scores of guessing baselines by slice of the rows; empty: not computed.",
    ("version", "licence"): "Licence of the rows: an SPDX identifier, or the licence's name.",
    ("version", "queued_at"): "When the freeze of this version was queued.",
    ("version", "upload_limit"): (
        "Maximum number of graded uploads per account or system while answers are secret; empty: the site's "
        "setting."
    ),
    ("version", "verified_at"): "When the file hashes were last recomputed.",
    ("webhook", "last_answer"): "Last HTTP status, or the error.",
    ("webhook", "last_at"): "When a delivery was last attempted.",
}

#: (model, field) -> its name from now on.
NAMES = {
    ("system", "harness"): "how the system reads the text, in words",
    ("system", "main"): "main system for this model",
    ("system", "reading"): "how the system reads the text",
}


class HelpTexts(migrations.operations.base.Operation):
    """Give fields new help texts and names. AlterField would repeat each field whole."""

    def state_forwards(self, app_label, state):
        """Replace the fields by copies with the new texts."""
        for (model, name), text in HELP.items():
            fields = state.models[app_label, model].fields
            fields[name] = fields[name].clone()
            fields[name].help_text = text
        for (model, name), text in NAMES.items():
            fields = state.models[app_label, model].fields
            fields[name] = fields[name].clone()
            fields[name].verbose_name = fields[name]._verbose_name = text

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        """Leave the database as it is."""

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        """Leave the database as it is."""

    def describe(self):
        return "Reworded help texts"


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0058_help_texts")]
    operations = [HelpTexts()]
