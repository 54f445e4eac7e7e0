"""The command line: serve, build, check. Each command imports only its own rooms."""

import sys

COMMANDS = {
    "serve": ("explainer.page.serve", "Voila on 127.0.0.1, kernels warm before the first reader"),
    "build": ("explainer.page.site", "the static site, for any web server or the disk"),
    "check": ("explainer.slo.check", "a load test's files against limits: met, not met, or not decidable"),
    "compile": ("explainer.page.compiler", "the figures' documents, beforehand"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code (3 for bad usage)."""
    from importlib import import_module

    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or arguments[0] not in COMMANDS:
        width = max(map(len, COMMANDS))
        asked_for_help = bool(arguments) and arguments[0] in ("-h", "--help")
        print("usage: python -m explainer COMMAND ...\n", file=sys.stdout if asked_for_help else sys.stderr)
        for name, (_, purpose) in COMMANDS.items():
            print(f"  {name:{width}}  {purpose}", file=sys.stdout if asked_for_help else sys.stderr)
        return 0 if asked_for_help else 3
    module, _ = COMMANDS[arguments[0]]
    try:
        return import_module(module).main(arguments[1:])
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
