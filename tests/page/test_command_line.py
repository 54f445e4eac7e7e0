"""Bad words on the command line of serve and build: a sentence, and exit code 2 or 3; never a traceback, never a server."""

import socket

import pytest

from explainer.__main__ import main


@pytest.mark.parametrize("words", [["--port", "99999"], ["--port", "-1"], ["--port", "web"], ["--pool", "-1"]])
def test_serve_refuses_what_is_no_port_and_no_pool(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(["serve", *words])
    assert end.value.code == 2
    assert f"“{words[1]}” is not a whole number from" in capsys.readouterr().err


def test_serve_says_that_a_port_is_taken(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 3
    assert f"Port {port} is taken." in capsys.readouterr().err


def test_build_says_where_it_cannot_write(tmp_path, capsys):
    (tmp_path / "file").write_text("kept")
    for target, words in (("file", "is no folder"), ("file/below", "cannot be written"), ("", "Nothing is no folder")):
        assert main(["build", str(tmp_path / target) if target else ""]) == 3
        assert words in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "kept"


def test_stopping_is_no_error(monkeypatch, capsys):
    import explainer.page.site

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(explainer.page.site, "main", interrupted)
    assert main(["build", "anywhere"]) == 130
    assert "Stopped." in capsys.readouterr().err
