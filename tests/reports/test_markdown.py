from dataclasses import replace

from inline_snapshot import snapshot
from report_samples import CLEAN, SAMPLE, STORY, VAGUE

from reviewloop.reports import render
from reviewloop.reports.markdown import LIMIT
from reviewloop.reports.report import ReviewReport


def report_of(*findings):
    return ReviewReport(artifacts=(replace(SAMPLE.artifacts[0], findings=findings, suppressed=()),))


def test_a_comment_on_a_pull_request():
    assert snapshot("""\
## Reviewloop: needs revision

1 critical, 2 important, 1 info in 2 files · checked in 0.12 s

| Artifact | Verdict | Total | Findings | Criteria |
|---|---|--:|---|---|
| requirements.md | needs revision | 81.7 | 1 critical, 1 important | completeness 100, testability 45 (needs 70), scope (not checked) |
| design.md | pass | 81 | 1 important, 1 info | completeness 81 |

### `specs/sign in/requirements.md`

- **critical** `REQ013` line 9:5: US-2 has no acceptance criteria
  <details><summary>details</summary>

  ```text
  ### US-2: Sign out 🔑 everywhere
  ```

  Hint: List what can be observed when it works.

  </details>

- **important** `REQ018` line 7:28: "fast" cannot be checked
  <details><summary>details</summary>

  ```text
  - AC-1.1: The page answers fast, at most a blink after the key is touched, for everybody in every region.
  ```

  Hint: Say how fast, and for how many: within 300 ms for 95% of requests.

  </details>

### `specs/sign in/design.md`

- **important** `completeness` line 3:10: The session's life time is never stated: readers will guess
  <details><summary>details</summary>

  ```text
      Modify `src/auth/session.py`
  ```

  From: haiku, sonnet · still failing

  </details>

- **info** `completeness`: No diagram shows the data's way
  <details><summary>details</summary>

  From: sonnet

  </details>

<details><summary>1 suppressed</summary>

- `REQ018` `specs/sign in/requirements.md:7:81` (inline): the word is our customer's

</details>

Warning: tasks.md is empty and was skipped

Note: the upstream PRD was found by convention
""") == render(SAMPLE, "markdown")


def test_a_clean_comment_is_short():
    assert snapshot("""\
## Reviewloop: pass

No findings in 1 file · checked in 0.05 s

| Artifact | Verdict | Total | Findings | Criteria |
|---|---|--:|---|---|
| tasks.md | pass | - | none |  |
""") == render(CLEAN, "markdown")


def test_a_long_report_is_cut_and_says_what_is_missing():
    report = report_of(*[replace(VAGUE, issue=f"number {n} " + "x" * 500) for n in range(400)], STORY)

    text = render(report, "markdown")

    shown = text.count("- **important**")
    assert LIMIT - 2_000 < len(text) <= LIMIT
    assert "- **critical** `REQ013`" in text
    assert f"\n{400 - shown} more findings not shown here: {400 - shown} important.\n" in text


def test_hundreds_of_artifacts_fit_too():
    report = ReviewReport(artifacts=tuple(replace(one) for one in SAMPLE.artifacts * 400))

    text = render(report, "markdown")

    assert len(text) <= LIMIT
    assert "more artifacts not shown here." in text


def test_a_finding_cannot_break_out_call_people_or_load_pictures():
    hostile = replace(
        STORY,
        rule="a`b",
        issue="</details> <img src=x> ![p](http://x/y.png) @team fixes #12 **bold** | cell",
        suggestion="```\n# Heading\n```",
        place=replace(STORY.place, line=7, column=1),
        quote=None,
    )

    assert (
        snapshot("""\
`specs/sign in/requirements.md`

- **critical** ``a`b`` line 7:1: &lt;/details&gt; &lt;img src=x&gt; !\\[p\\](http://x/y.png) @<!-- -->team fixes #<!-- -->12 \\*\\*bold\\*\\* \\| cell
  <details><summary>details</summary>

  ```text
  - AC-1.1: The page answers fast, at most a blink after the key is touched, for everybody in every region.
  ```

  Hint: \\`\\`\\` # Heading \\`\\`\\`

  </details>
""")
        == render(report_of(hostile), "markdown").partition("### ")[2]
    )
