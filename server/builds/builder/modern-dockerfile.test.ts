// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfile variables look like this
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BuilderBench } from '../../../testing/builds/builder-bench.ts'
import { checkDockerfile } from '../../archives/dockerfile/dockerfile.ts'
import { dockerfileText } from '../../archives/dockerfile/remaining-build.ts'

/* What Dockerfiles of today use, with the text that the gate writes for the builder. */

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
}, 60_000)
afterAll(() => bench.dispose(), 60_000)

const base = 'curated/python:3.11'

async function build(dockerfile: string) {
  const checked = checkDockerfile(Buffer.from(dockerfile))
  return await bench.build(
    [
      [{ name: 'Dockerfile' }, dockerfileText(checked)],
      [{ name: 'context/Dockerfile' }, dockerfile],
      [{ name: 'context/a.txt' }, 'a\n'],
      [{ name: 'context/docs/b.md' }, 'b\n'],
      [{ name: 'context/docs/c.txt' }, 'c\n'],
    ],
    [base],
  )
}

it('heredocs, modes and excluded files give what Docker documents', async () => {
  const { exit, log, image } = await build(`FROM ${base}
RUN <<EOF
set -e
echo "FROM scratch" >/script
echo 'ADD http://example.org/x /x' >>/script
EOF
RUN <<EOF
#!/usr/bin/env python3
import sys
open('/python', 'w').write(f"{sys.version_info.major} $HOME it's\\n")
EOF
RUN python3 <<-PROGRAM && cat <<'PLAIN' >/plain
	print("from standard input", file=open('/input', 'w'))
	PROGRAM
$HOME \\
PLAIN
ARG NAME=world
ENV GREETING="hello \${NAME}"
COPY <<EOF <<"as-is.txt" a.txt /texts/
\${GREETING}, \${NONE:-nobody}
EOF
\${GREETING}, it's
as-is.txt
COPY <<EOF /lone
it's
EOF
COPY --chmod=755 --chown=7:8 <<run.sh /bin/run.sh
#!/bin/sh
echo run by /bin/sh
run.sh
COPY --link --exclude=**/*.md docs /docs/
RUN echo ---; for f in /script /python /input /plain /texts/* /lone; do echo "$f: $(cat $f)"; done; \\
    stat -c '%n %a %u:%g' /bin/run.sh /lone; run.sh; ls /docs; echo ---
`)
  expect([exit.exitCode, image], log).toEqual([0, 'accepted'])
  // The first is the step as the builder shows it.
  expect(log.split('---\n')[2]).toBe(`/script: FROM scratch
ADD http://example.org/x /x
/python: 3 $HOME it's
/input: from standard input
/plain: $HOME \\
/texts/EOF: hello world, nobody
/texts/a.txt: a
/texts/as-is.txt: \${GREETING}, it's
/lone: it's
/bin/run.sh 755 7:8
/lone 644 0:0
run by /bin/sh
c.txt
`)
}, 90_000)

it('a script that fails in a heredoc fails the build at its instruction', async () => {
  const { exit, log } = await build(
    `FROM ${base}\nRUN <<EOF\nset -e\nfalse\necho not reached\nEOF\nRUN echo next`,
  )
  expect(exit.exitCode, log).toBe(1)
  expect(log).not.toContain('next')
  expect(log).toContain('RUN <<EOF')
}, 60_000)
