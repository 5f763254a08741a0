"""The pages of benches: who sees them, the form, a bench while it waits and when it is done, its report and files."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import Permission

from leaderboard.runs.benches import services as benches
from leaderboard.runs.benches.models import MOST_MARKS, Bench

NEW, RULE = "/benches/new/", "prefer_update_latest"


def started(staff: Any, executor: str = RULE, **options: Any) -> Bench:
    asked = {"suite": "goldevidence", "executor": executor, "size": "smoke", "started_by": staff}
    return benches.start(**asked | options)


def pages_of(bench: Bench) -> list[str]:
    own = [f"/benches/{bench.pk}/{name}" for name in ("", "status/", "report.html", "files.zip")]
    return ["/benches/", NEW, f"{NEW}estimate/", *own]


def test_benches_are_shown_only_with_the_permission_to_see_runs(client: Any, user: Any, staff: Any) -> None:
    bench = started(staff)
    for path in pages_of(bench):
        assert client.get(path).status_code == 302, path
    client.force_login(user)
    for path in pages_of(bench):
        assert client.get(path).status_code == 403, path
    for act in ("cancel", "resume", "go-on"):
        assert client.post(f"/benches/{bench.pk}/{act}/").status_code == 403
    assert client.post(NEW, {"executor": RULE, "size": "smoke"}).status_code == 403
    assert Bench.objects.get().status == "queued"


def test_the_permission_to_see_runs_allows_no_start_and_no_stop(client: Any, user: Any, staff: Any) -> None:
    bench = started(staff)
    user.user_permissions.add(Permission.objects.get(codename="view_run"))
    client.force_login(user)
    page = client.get(f"/benches/{bench.pk}/").content.decode()
    assert "Cancel</button>" not in page
    assert "Start a bench" not in client.get("/benches/").content.decode()
    assert client.get(NEW).status_code == 403
    assert client.post(f"/benches/{bench.pk}/cancel/").status_code == 403


def test_the_form_follows_the_system_and_marks_bad_fields(client: Any, staff: Any, model: Any) -> None:
    client.force_login(staff)
    form = client.get(NEW).context["form"]
    assert form.chosen.name == "adapter:llama_cpp"
    assert {"selectors", "standard"} <= {name for name, _ in form.fields["parts"].choices}
    form = client.get(f"{NEW}?executor={RULE}").context["form"]
    assert "model_file" not in form.fields
    assert "selectors" not in {name for name, _ in form.fields["parts"].choices}
    sent = {"executor": "adapter:llama_cpp", "size": "smoke", "set_threads": "many", "bar_value": "2"}
    refused = client.post(NEW, sent)
    assert refused.status_code == 422
    assert {"bar_value", "model_file"} <= set(refused.context["form"].errors)
    refused = client.post(NEW, {**sent, "bar_value": "", "model_file": model.pk})
    assert set(refused.context["form"].errors) == {"set_threads"}
    assert not Bench.objects.exists()


def test_the_form_says_how_much_is_asked_before_it_starts(client: Any, staff: Any) -> None:
    client.force_login(staff)
    query = {"executor": RULE, "size": "smoke", "seeds": "3", "parts": ["k"]}
    said = client.get(f"{NEW}estimate/", query, headers={"HX-Request": "true"}).content.decode()
    assert "12 cells, 48 rows" in " ".join(said.split())
    assert "Calibrate" not in said
    assert "How much" in client.get(f"{NEW}estimate/", query).content.decode()  # without script


def test_a_bench_started_on_the_page_is_shown_while_it_waits_and_reported_when_it_is_done(
    client: Any, staff: Any
) -> None:
    client.force_login(staff)
    sent = {"executor": "positional_last", "size": "quick", "parts": ["k", "order"], "bar_selection": "0.8"}
    page = client.post(NEW, sent, follow=True).content.decode()
    bench = Bench.objects.get()
    assert "Waiting" in page
    assert page.count('<i class="next">') == 16
    said = (
        "goldevidencebench bench --system positional_last --preset quick --parts k,order --bar selection=0.8"
    )
    assert said in page
    benches.execute(str(bench.pk))
    poll = client.get(f"/benches/{bench.pk}/status/", headers={"HX-Request": "true"})
    assert poll["HX-Refresh"] == "true"
    page = client.get(f"/benches/{bench.pk}/").content.decode()
    assert '<span class="bar-mark fail">fail</span>' in page
    assert page.count('<svg xmlns="http://www.w3.org/2000/svg" class="chart"') == 2
    assert 'href="#report-order-bias"' in page
    assert 'id="report-order-bias"' in page
    assert "at least 0.8" in page
    assert "2 fail" in client.get("/benches/").content.decode()


def test_a_report_brings_no_style_and_no_script_into_the_page(client: Any, staff: Any) -> None:
    bench = started(staff)
    benches.execute(str(bench.pk))
    client.force_login(staff)
    page = client.get(f"/benches/{bench.pk}/").content.decode()
    report = page[page.index('<article class="bench-report"') : page.index("</article>")]
    assert not re.search(r"<style|<script|\sstyle=|\son\w+=", report)


def test_report_and_files_are_downloads(client: Any, staff: Any) -> None:
    bench = started(staff, parts=["k"])
    client.force_login(staff)
    assert client.get(f"/benches/{bench.pk}/report.html").status_code == 404
    assert client.get(f"/benches/{bench.pk}/files.zip").status_code == 404
    benches.execute(str(bench.pk))
    report = client.get(f"/benches/{bench.pk}/report.html")
    assert report["Content-Disposition"].startswith("attachment")
    assert b"<style>" in report.content
    files = client.get(f"/benches/{bench.pk}/files.zip")
    assert files["Content-Disposition"].startswith("attachment")
    with zipfile.ZipFile(BytesIO(b"".join(files.streaming_content))) as archive:
        assert archive.testzip() is None
        assert archive.read("report.html").decode() == report.content.decode()


def test_cancel_and_resume_on_the_page(client: Any, staff: Any) -> None:
    bench = started(staff)
    client.force_login(staff)
    page = client.post(f"/benches/{bench.pk}/cancel/", follow=True).content.decode()
    assert "Cancelled" in page
    page = client.post(f"/benches/{bench.pk}/go-on/", follow=True).content.decode()
    assert "there is nothing to decide" in page
    page = client.post(f"/benches/{bench.pk}/resume/", follow=True).content.decode()
    assert "Waiting" in page
    page = client.post(f"/benches/{bench.pk}/resume/", follow=True).content.decode()
    assert "there is nothing to resume" in page


def test_a_paused_bench_says_why_and_goes_on_by_decision(client: Any, staff: Any) -> None:
    bench = started(staff)
    Bench.objects.update(status="paused", error="2 of 2 rows hold no answer.")
    client.force_login(staff)
    page = client.get(f"/benches/{bench.pk}/").content.decode()
    assert "2 of 2 rows hold no answer." in page
    assert "Go on anyway" in page
    client.post(f"/benches/{bench.pk}/go-on/")
    assert Bench.objects.get().go_on
    assert benches.execute(str(bench.pk))


def test_of_very_many_cells_a_bar_is_drawn(client: Any, staff: Any) -> None:
    bench = started(staff, seeds=20, parts=["k"])
    assert bench.progress_by_part[0]["cells"] > MOST_MARKS
    client.force_login(staff)
    page = client.get(f"/benches/{bench.pk}/").content.decode()
    assert '<i class="next">' not in page


def test_the_page_of_a_model_lists_its_benches(client: Any, staff: Any, model: Any) -> None:
    client.force_login(staff)
    assert "Benches of this model" not in client.get(model.get_absolute_url()).content.decode()
    bench = started(staff, "adapter:llama_cpp", model_file=model)
    page = client.get(model.get_absolute_url()).content.decode()
    assert bench.get_absolute_url() in page
    assert f"{NEW}?executor=adapter:llama_cpp&amp;model_file={model.pk}" in page


def test_the_list_asks_the_database_the_same_few_questions_however_many_benches(
    client: Any, staff: Any, django_assert_max_num_queries: Any
) -> None:
    client.force_login(staff)
    for _ in range(5):
        started(staff)
    with django_assert_max_num_queries(8):
        client.get("/benches/")


def test_attention_lists_failed_benches_and_resumes_them(client: Any, staff: Any) -> None:
    bench = started(staff)
    Bench.objects.update(status="failed", error="There is not enough memory for this model.")
    client.force_login(staff)
    page = client.get("/admin/attention/").content.decode()
    assert f"Bench of {RULE}" in page
    assert "There is not enough memory" in page
    client.post("/admin/attention/again/", {"kind": "benches", "pk": str(bench.pk)})
    assert Bench.objects.get().status == "queued"
    assert client.get(f"/admin/leaderboard/bench/{bench.pk}/change/").status_code == 200


@pytest.mark.parametrize("asked", [{"size": "endless"}, {"parts": ["no"]}, {"executor": "nobody"}])
def test_the_api_refuses_in_a_sentence(caller: Any, staff: Any, asked: dict[str, Any]) -> None:
    call = caller(staff, "read", "submit", "staff")
    answer = call("POST", "/benches", {"executor": RULE, "size": "smoke"} | asked, kind="application/json")
    assert answer.status_code == 422
    assert next(iter(asked.values()))[0] in answer.content.decode()


def test_the_api_starts_a_bench_and_tells_its_bars(caller: Any, staff: Any, body: Any) -> None:
    call = caller(staff, "read", "submit", "staff")
    sent = {"executor": RULE, "size": "smoke", "parts": ["order"], "thresholds": {"order_bias": 0.2}}
    made = body(call("POST", "/benches", sent, kind="application/json"))
    assert (made["status"], made["cells_total"], made["bars"]) == ("queued", 8, [])
    benches.execute(made["id"])
    done = body(call("GET", f"/benches/{made['id']}"))
    assert done["bars"][0]["reached"] is True
    assert done["bars"][0]["threshold"] == 0.2
    assert body(call("GET", "/benches?status=finished"))["items"][0]["id"] == made["id"]
    assert body(call("GET", "/benches?status=failed"))["items"] == []


LONG = "9" * 5000


@pytest.mark.parametrize("text", [LONG, "-1", "x", "'", "adapter:", "nan", "inf", "1e400"])
@pytest.mark.parametrize("name", ["suite", "executor", "size", "seeds", "parts", "model_file", "bar_value"])
def test_no_address_and_no_form_causes_a_server_error(client: Any, staff: Any, name: str, text: str) -> None:
    client.force_login(staff)
    assert client.get(NEW, {name: text}).status_code == 200
    sent = {"executor": RULE, "size": "smoke"} | {name: text}
    assert client.get(f"{NEW}estimate/", sent).status_code == 200
    assert client.post(NEW, sent).status_code in (302, 422)
    started = Bench.objects.first()  # a benchmark that is not there means the first, a rule takes no model
    assert started is None or name in ("suite", "model_file")


def test_the_page_of_a_list_that_is_not_there_is_the_nearest(client: Any, staff: Any) -> None:
    client.force_login(staff)
    assert client.get("/benches/", {"page": LONG}).status_code == 200
