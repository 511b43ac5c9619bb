import type { Template } from './template.ts'

const python: Template = {
  description: 'Python, standard library',
  base: { name: 'curated/python:3.13', preset: 'python:3.13' },
  dockerfile: `FROM curated/python:3.13
COPY main.py /app/main.py
# A program that does not even compile fails here, and not in every run.
RUN python3 -m py_compile /app/main.py
`,
  files: {
    'main.py': `import json
import os

with open(os.environ["SERVICE_INPUTS_FILE"], encoding="utf-8") as file:
    given = json.load(file)

words = given["text"].split()
print(f"counting {len(words)} words")

with open(os.environ["SERVICE_OUTPUT_FILE"], "w", encoding="utf-8") as file:
    json.dump({"words": len(words)}, file)
`,
  },
  workScript: 'python3 /app/main.py\n',
}

const node: Template = {
  description: 'Node.js, without packages',
  base: { name: 'curated/node:20', preset: 'node:20' },
  dockerfile: `FROM curated/node:20
COPY main.mjs /app/main.mjs
# A program that cannot even be parsed fails here, and not in every run.
RUN node --check /app/main.mjs
`,
  files: {
    'main.mjs': `import { readFileSync, writeFileSync } from 'node:fs'

const { SERVICE_INPUTS_FILE, SERVICE_OUTPUT_FILE } = process.env
const { text } = JSON.parse(readFileSync(SERVICE_INPUTS_FILE, 'utf8'))

const words = text.split(/\\s+/).filter((word) => word !== '')
console.log(\`counting \${words.length} words\`)

writeFileSync(SERVICE_OUTPUT_FILE, JSON.stringify({ words: words.length }))
`,
  },
  workScript: 'node /app/main.mjs\n',
}

const shell: Template = {
  description: 'shell, on an image without a base',
  plainText: true,
  dockerfile: `# The platform adds a shell with the usual commands to every image.
FROM scratch
COPY main.sh /app/main.sh
`,
  files: {
    'main.sh': `set -eu
# The schema allows no quotes and no backslashes in the text, so that it can be cut out of the JSON like this.
text=$(sed 's/.*"text":"\\([^"]*\\)".*/\\1/' "$SERVICE_INPUTS_FILE")
words=$(printf '%s\\n' "$text" | wc -w)
echo "counting $((words)) words"
printf '{"words":%d}' "$words" > "$SERVICE_OUTPUT_FILE"
`,
  },
  workScript: '. /app/main.sh\n',
}

const r: Template = {
  description: 'R, base packages',
  plainText: true,
  base: { name: 'curated/r:4.5', preset: 'r:4.5' },
  dockerfile: `FROM curated/r:4.5
COPY main.R /app/main.R
# A program that cannot even be parsed fails here, and not in every run.
RUN Rscript -e 'invisible(parse("/app/main.R"))'
`,
  files: {
    'main.R': `given <- readChar(Sys.getenv("SERVICE_INPUTS_FILE"), 1e6)
# The schema allows no quotes and no backslashes in the text, so that it can be cut out of the JSON like this.
text <- sub('.*"text":"([^"]*)".*', "\\\\1", given)
words <- length(Filter(nzchar, strsplit(text, "\\\\s+")[[1]]))
cat("counting", words, "words\\n")
cat(sprintf('{"words":%d}', words), file = Sys.getenv("SERVICE_OUTPUT_FILE"))
`,
  },
  workScript: 'Rscript /app/main.R\n',
}

const java: Template = {
  description: 'Java 21, compiled in the image',
  plainText: true,
  base: { name: 'curated/java:21', preset: 'java:21' },
  dockerfile: `FROM curated/java:21
COPY Main.java /app/Main.java
RUN javac -d /app /app/Main.java
`,
  files: {
    'Main.java': `import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

public class Main {
    public static void main(String[] args) throws Exception {
        var given = Files.readString(Path.of(System.getenv("SERVICE_INPUTS_FILE")));
        // The schema allows no quotes and no backslashes in the text, so that it can be cut out of the JSON like this.
        var found = Pattern.compile("\\"text\\":\\"([^\\"]*)\\"").matcher(given);
        var text = found.find() ? found.group(1).strip() : "";
        var words = text.isEmpty() ? 0 : text.split("\\\\s+").length;
        System.out.println("counting " + words + " words");
        Files.writeString(Path.of(System.getenv("SERVICE_OUTPUT_FILE")), "{\\"words\\":" + words + "}");
    }
}
`,
  },
  workScript: 'java -cp /app Main\n',
}

const go: Template = {
  description: 'Go, compiled in the image, standard library',
  base: { name: 'curated/go:1.24', preset: 'go:1.24' },
  dockerfile: `FROM curated/go:1.24
COPY main.go /app/main.go
# The compiler's cache stays out of the image.
RUN --mount=type=cache,id=go-build,target=/root/.cache/go-build go build -o /app/main /app/main.go
`,
  files: {
    'main.go': `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

func main() {
	var given struct {
		Text string \`json:"text"\`
	}
	input, err := os.ReadFile(os.Getenv("SERVICE_INPUTS_FILE"))
	if err == nil {
		err = json.Unmarshal(input, &given)
	}
	words := len(strings.Fields(given.Text))
	fmt.Println("counting", words, "words")
	if err == nil {
		output, _ := json.Marshal(map[string]int{"words": words})
		err = os.WriteFile(os.Getenv("SERVICE_OUTPUT_FILE"), output, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`,
  },
  workScript: '/app/main\n',
}

const staticBinary: Template = {
  description: 'a static binary from C, on an image without a base',
  plainText: true,
  prepare: 'cc -static -O2 -o image/main main.c',
  dockerfile: `# The binary needs nothing else: it is compiled on your machine, see README.md.
FROM scratch
COPY main /app/main
`,
  files: {
    '../main.c': `#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static char given[1 << 20];
  FILE *in = fopen(getenv("SERVICE_INPUTS_FILE"), "r");
  if (!in) return 1;
  given[fread(given, 1, sizeof given - 1, in)] = 0;
  // The schema allows no quotes and no backslashes in the text, so that it can be cut out of the JSON like this.
  const char *field = "\\"text\\":\\"", *at = strstr(given, field);
  int words = 0, inside = 0;
  for (at = at ? at + strlen(field) : ""; *at && *at != '"'; at++) {
    int letter = !isspace((unsigned char)*at);
    words += letter && !inside;
    inside = letter;
  }
  printf("counting %d words\\n", words);
  FILE *out = fopen(getenv("SERVICE_OUTPUT_FILE"), "w");
  return !out || fprintf(out, "{\\"words\\":%d}", words) < 0 || fclose(out);
}
`,
  },
  workScript: '/app/main\n',
}

export const templates = { python, node, shell, r, java, go, static: staticBinary } as const
export type TemplateName = keyof typeof templates
export const templateNames = Object.keys(templates) as TemplateName[]
