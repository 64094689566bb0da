import sys

from court.graph import build

if __name__ == "__main__":
    result = build().invoke({"repo_url": sys.argv[1], "pdf_path": sys.argv[2], "evidences": [], "opinions": []})
    print(result["verdict"])
