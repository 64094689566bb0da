from court.graph import build


def main():
    return build()


app = main()
