from hypothesis import given
from hypothesis import strategies as st

from reviewloop.documents.diff import read_diff
from reviewloop.documents.kinds import is_diff

DIFF = """\
diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,3 @@
 import os
-import sys
+import json
+import re
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+print(1)
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-print(1)
diff --git a/moved.py b/there.py
rename from moved.py
rename to there.py
"""


def test_files_and_lines_are_read():
    changed, created, deleted, renamed = read_diff(DIFF)

    assert ("src/a.py", 1) == (changed.path, changed.line)
    assert [("import json", 2, 8), ("import re", 3, 9)] == [(line.text, line.number, line.at) for line in changed.added]
    assert [("import sys", 2)] == [(line.text, line.number) for line in changed.removed]
    assert (True, False) == (created.created, created.deleted)
    assert ("old.py", True) == (deleted.path, deleted.deleted)
    assert ("there.py", "moved.py") == (renamed.path, renamed.old_path)


def test_lines_that_look_like_headers_stay_lines():
    text = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+--- not a header\n"

    assert [["--- not a header"]] == [[line.text for line in file.added] for file in read_diff(text)]


def test_a_name_that_git_quotes_is_read_as_it_is_on_disk():
    name = r"docs/caf\303\251 \"a\"\t.md"
    text = f'diff --git "a/{name}" "b/{name}"\n--- "a/{name}"\n+++ "b/{name}"\n@@ -1 +1 @@\n-a\n+b\n'
    renamed = 'diff --git a/old.md "b/caf\\303\\251.md"\nrename from old.md\nrename to "caf\\303\\251.md"\n'

    assert [('docs/café "a"\t.md', 1)] == [(file.path, len(file.added)) for file in read_diff(text)]
    assert [("café.md", "old.md")] == [(file.path, file.old_path) for file in read_diff(renamed)]


def test_a_diff_is_known_by_its_name_or_its_start():
    assert is_diff("x.patch", "")
    assert is_diff("-", DIFF)
    assert not is_diff("x.md", "# --- a\n")


@given(st.text(alphabet="+-@ abdfg/\n0123,it", max_size=300))
def test_any_text_can_be_read_as_a_diff(text):
    assert isinstance(read_diff(text), tuple)
