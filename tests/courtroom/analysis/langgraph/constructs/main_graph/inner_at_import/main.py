import argparse

from court import build


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", default="")
    arguments = parser.parse_args([])
    global app
    app = build()
    return arguments


if __name__ == "__main__":
    main()
