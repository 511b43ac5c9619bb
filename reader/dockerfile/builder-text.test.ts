// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfile variables look like this
import { expect, it } from 'vitest'
import { builderText } from './builder-text.ts'
import { readInstructions } from './grammar/instruction.ts'

const textOf = (text: string) => readInstructions(text.split('\n')).map(builderText).join('\n')

it.each([
  [
    'a script with an interpreter',
    'RUN --network=default <<EOF\n#!/usr/bin/env -S python3 -u\nprint("$X")\nEOF',
    'RUN --network=default /usr/bin/env -S python3 -u /dev/stdin <<\'EOF\'\n#!/usr/bin/env -S python3 -u\nprint("$X")\nEOF',
  ],
  [
    'an indented script',
    'run \\\n <<-E\n\t#! /bin/sh\n\tE',
    "RUN /bin/sh /dev/stdin <<-'E'\n\t#! /bin/sh\nE",
  ],
  [
    'a text without variables',
    "COPY --chmod=755 \\\n  a <<B <<'C' \\\n  <<D /x/\nit's\nB\nC\n$X\nD",
    "COPY --chmod=755 a <<'B' <<'C'   <<D /x/\nit's\nB\nC\n$X\nD",
  ],
  [
    'quotes around values',
    'COPY --chown="${A}:${B}" --exclude=\'*.md\' \\\n  a b',
    'COPY --chown=${A}:${B} --exclude=*.md a b',
  ],
  [
    'paths of mounts',
    'RUN --mount=type=cache,id=a-$TARGETARCH,target=/c//./d/ --mount=source=./a,target=a,readonly=true true',
    'RUN --mount=type=cache,id=a-amd64,target=/c/d --mount=type=bind,source=a,target=a,readonly true',
  ],
  ['--link', 'COPY --link --chown=$U a b\nADD --link=true a b', 'COPY --chown=$U a b\nADD a b'],
])('translates %s', (_name, text, translated) => {
  expect(textOf(text)).toBe(translated)
  // Twice is the same as once.
  expect(textOf(translated)).toBe(translated)
})

it.each([
  'RUN <<E\necho #!/bin/sh\nE',
  'RUN cat <<E\n#!/bin/sh\nE',
  'RUN <<E\n#!/bin/sh $(a)\nE',
  'RUN <<E\n#!sh\nE',
  'RUN <<E <<F\n#!/bin/sh\nE\nF',
  'COPY <<E /x\n$X\nE',
  'COPY <<"E" /x\na\nE',
  'RUN a \\\n# why\n  b',
  'RUN --mount=type=cache,target=/c \\\n  b',
])('leaves %j', (text) => {
  expect(textOf(text)).toBe(text)
})
