from arguments import parse

if __name__ == "__main__":
    print(parse())
