// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfile variables look like this
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkDockerfile } from '../../../reader/dockerfile/dockerfile.ts'
import { dockerfileText } from '../../../reader/dockerfile/remaining-build.ts'
import { BuilderBench } from '../../../testing/builds/builder-bench.ts'

/* Features that Dockerfiles of today use, with the text that the gate writes for the builder. */

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
})
afterAll(() => bench.dispose())

const base = 'curated/python:3.11'
/** With bash alone. */
const tiny = 'curated/tiny:2'

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
    [base, tiny],
  )
}

it('heredocs, modes and excluded files give what Docker documents', async () => {
  const { exit, log, image } = await build(`FROM ${base} AS made
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
FROM scratch
COPY --from=made /lone /lone
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
})

it('SHELL counts for every step, heredocs included', async () => {
  const { exit, log, image } = await build(`FROM ${tiny} AS one
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN <<X
items=(a b c)
[[ abc == a* ]] && echo "array: \${items[1]}"
X
RUN <<-"X" cat >>/notes
	text: it's
	X
RUN <<X
#!/bin/sh
echo "script: \${BASH_VERSION:-sh}"
X
RUN echo "line: \${BASH_VERSION:+bash}"; false | true || echo "pipefail"
FROM one
RUN echo "inherited: \${BASH_VERSION:+bash}"
SHELL ["/bin/sh", "-c"]
RUN echo "again: \${BASH_VERSION:-sh}"; cat /notes
RUN <<X
false
echo "goes on"
X
`)
  expect([exit.exitCode, image], log).toEqual([0, 'accepted'])
  expect(log.match(/^(?:array|text|script|line|pipefail|inherited|again|goes on).*$/gm)).toEqual([
    'array: b',
    'script: sh',
    'line: bash',
    'pipefail',
    'inherited: bash',
    'again: sh',
    "text: it's",
    'goes on',
  ])
})

it('a command that fails in a heredoc under a SHELL with -e fails the build', async () => {
  const { exit, log } = await build(
    `FROM ${tiny}\nSHELL ["/bin/bash", "-e", "-c"]\nRUN <<X\nfalse\necho "went on"\nX\n`,
  )
  expect(exit.exitCode, log).toBe(1)
  expect(log).not.toMatch(/^went on$/m)
})

it('mounts show files of the context and stages read-only, and leave nothing', async () => {
  const { exit, log, image } = await build(`FROM --platform=$BUILDPLATFORM ${tiny} AS tools
ARG TARGETARCH BUILDPLATFORM
RUN mkdir /made && echo "$TARGETARCH $BUILDPLATFORM" >/made/platform
FROM ${base}
ARG OWNER=7 GROUP=8
COPY --chown="\${OWNER}:\${GROUP}" --chmod='640' a.txt /owned
WORKDIR /work
RUN --mount=type=bind,source=./docs//b.md,target=b.md --mount=source=docs,target=/shown cat b.md /shown/c.txt && ! touch /shown/x 2>&1
RUN --mount=from=tools,target=/tools --mount=type=bind,from=0,target=/same cat /tools/made/platform /same/made/platform
RUN --mount=type=cache,target=/c//ache/ echo kept >/c/ache/file
RUN --mount=type=cache,target=/c/ache,sharing=private cat /c/ache/file
RUN stat -c '%n %a %u:%g' /owned; ls -A /work; ls -d /shown /tools /same /c/ache/file
`)
  expect([exit.exitCode, image], log).toEqual([1, 'none'])
  const said = log.split('\n').filter((line) => !/^\[|STEP|^ls:/.test(line))
  expect(said.join('\n')).toContain(
    "b\nc\ntouch: cannot touch '/shown/x': Read-only file system\namd64 linux/amd64\namd64 linux/amd64\nkept\n/owned 640 7:8\n",
  )
  for (const path of ['/shown', '/tools', '/same', '/c/ache/file'])
    expect(log).toContain(`ls: cannot access '${path}': No such file`)
})

it('a script that fails in a heredoc fails the build at its instruction', async () => {
  const { exit, log } = await build(
    `FROM ${tiny}\nRUN <<EOF\nset -e\nfalse\necho not reached\nEOF\nRUN echo next`,
  )
  expect(exit.exitCode, log).toBe(1)
  expect(log).not.toContain('next')
  expect(log).toContain('RUN <<EOF')
})
