// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfile variables look like this
import { describe, expect, it } from 'vitest'
import { hostileLines } from '../../testing/builds/dockerfile-lines.ts'
import { checkDockerfile, MAX_DOCKERFILE_BYTES } from './dockerfile.ts'
import { DockerfileRefused } from './dockerfile-refused.ts'

const refusal = (text: string | Buffer): string => {
  try {
    checkDockerfile(Buffer.from(text as string))
  } catch (error) {
    if (error instanceof DockerfileRefused) return `${error.slug} ${error.line}`
    throw error
  }
  return 'accepted'
}

describe('the Dockerfile gate', () => {
  const cases = hostileLines.flatMap(([slug, line, ...texts]) =>
    texts.map((text) => [slug, JSON.stringify(text.slice(0, 90)), line, text] as const),
  )
  it.each(cases)('refuses with %s: %s', (slug, _shown, line, text) => {
    expect(refusal(`FROM scratch\n${text}\n`)).toBe(`${slug} ${line}`)
  })

  const wholeFiles: [name: string, text: string | Buffer, answer: string][] = [
    ['nothing', '', 'no_from 1'],
    ['only comments', '# hello\n', 'no_from 2'],
    ['only an ARG', 'ARG A=1', 'no_from 1'],
    ['an instruction before FROM', 'RUN true\nFROM scratch', 'instruction_before_from 1'],
    ['an instruction between ARG and FROM', 'ARG A\nENV B=1\nFROM scratch', 'instruction_before_from 2'],
    ['an ARG used in FROM', 'ARG V=3\nFROM alpine:$V', 'dynamic_from 2'],
    [
      'a platform that the file sets',
      'ARG BUILDPLATFORM=linux/arm64\nFROM --platform=$BUILDPLATFORM a',
      'platform_forbidden 2',
    ],
    [
      'a platform of a file that sets a name by another',
      'ARG A$B=1\nFROM --platform=$BUILDPLATFORM a',
      'platform_forbidden 2',
    ],
    [
      'a platform in two values',
      'ARG BUILDPLATFORM="linux/$X"\nFROM --platform=$BUILDPLATFORM a',
      'platform_forbidden 2',
    ],
    ['a syntax directive first', '# syntax=docker/dockerfile:1\nFROM scratch', 'syntax_directive 1'],
    ['an escape directive first', '# escape=`\nFROM scratch', 'escape_directive 1'],
    ['an escape directive after a byte order mark', '\ufeff# escape=`\nFROM scratch', 'escape_directive 1'],
    ['Latin-1', Buffer.from('FROM scratch\nRUN echo \xe4', 'latin1'), 'dockerfile_not_utf8 1'],
    ['UTF-16', Buffer.from('\ufeffFROM scratch', 'utf16le'), 'dockerfile_not_utf8 1'],
    ['more than 1 MiB', `FROM scratch\n${'#\n'.repeat(MAX_DOCKERFILE_BYTES / 2)}`, 'dockerfile_too_large 1'],
  ]
  it.each(wholeFiles)('refuses %s', (_name, text, answer) => {
    expect(refusal(text)).toBe(answer)
  })

  it('reads very many heredocs of one instruction in time', () => {
    const names = Array.from({ length: 60_000 }, (_, at) => `h${at}`)
    const starts = names.map((name) => `<<${name}`).join(' ')
    const startedAt = performance.now()
    expect(refusal(`FROM scratch\nADD ${starts} /x/\n${names.join('\n')}\n`)).toBe('accepted')
    expect(performance.now() - startedAt).toBeLessThan(60_000)
  })

  it('names the rule and the line, and no text of the file', () => {
    const refused = new DockerfileRefused('mount_forbidden', 7)
    expect(refused.errorDetail).toBe('mount_forbidden;line_7')
  })

  const mistyped: [string, string | undefined][] = [
    ['FORM debian', 'FROM'],
    ['form debian', 'FROM'],
    ['FROM: debian', 'FROM'],
    ['FROM debian\nCOPPY a b', 'COPY'],
    ['FROM debian\nENTRY_POINT a', 'ENTRYPOINT'],
    ['FROM debian\nDOWNLOAD a', undefined],
    [`FROM debian\n${'FROM'.repeat(10_000)} a`, undefined],
  ]
  it.each(mistyped)('names the instruction that %s probably means', (text, meant) => {
    let refused: unknown
    try {
      checkDockerfile(Buffer.from(text))
    } catch (error) {
      refused = error
    }
    expect(refused).toMatchObject({ slug: 'unknown_instruction', meant })
  })

  it('says what was meant in the detail and in the log', () => {
    const refused = new DockerfileRefused('unknown_instruction', 1, { meant: 'FROM' })
    expect(refused.errorDetail).toBe('unknown_instruction;line_1;did_you_mean_FROM')
    expect(refused.explanation).toBe(
      'Dockerfile:1: The builder does not know this instruction. Did you mean FROM? (unknown_instruction)\n',
    )
  })

  const dynamic: [text: string, advice: RegExp][] = [
    ['ARG V=3.20\nFROM alpine:$V AS base', /Write alpine:3.20 as the image/],
    ['ARG IMAGE="debian:${R:-13}"\nFROM ${IMAGE}', /Write debian:13 as the image/],
    ['FROM app-$TARGETARCH', /Write app-amd64 as the image/],
    ['ARG BASE\nFROM $BASE', /Write the name of the image in place of the variable/],
    ['ARG V=$(x)\nFROM alpine:$V', /Write the name of the image in place of the variable/],
  ]
  it.each(dynamic)('says which image to write for %j', (text, advice) => {
    expect(() => checkDockerfile(Buffer.from(text))).toThrow(
      expect.objectContaining({ explanation: expect.stringMatching(advice) }),
    )
  })

  it('says what to write in place of a directive', () => {
    const { explanation } = new DockerfileRefused('syntax_directive', 1)
    expect(explanation).toContain('Dockerfile:1:')
    expect(explanation).toContain('Delete this line: heredocs, --link, --exclude and mounts work without it.')
  })

  it('bounds the number of instructions of a build', () => {
    const runs = (count: number) => `FROM scratch\n${'RUN true\n'.repeat(count)}`
    expect(refusal(runs(499))).toBe('accepted')
    expect(refusal(runs(500))).toBe('too_many_instructions 501')
    expect(refusal(`FROM scratch\nRUN true${' && \\\n  true'.repeat(2000)}`)).toBe('accepted')
  })

  it('bounds stages and flags', () => {
    expect(refusal('FROM scratch\n'.repeat(64))).toBe('accepted')
    expect(refusal('FROM scratch\n'.repeat(65))).toBe('too_many_stages 65')
    const mounts = (count: number) => `FROM scratch\nRUN ${'--mount=type=tmpfs,target=/a '.repeat(count)}true`
    expect(refusal(mounts(32))).toBe('accepted')
    expect(refusal(mounts(33))).toBe('too_many_flags 2')
  })

  it('parses 1 MiB of any input in reasonable time', () => {
    const fillers = [
      '\\\n',
      'a-',
      '. ',
      '"',
      '#\n',
      'RUN <<',
      'RUN <<A\nA\n',
      '<<A ',
      "'",
      '${',
      '["a",',
      '--a ',
      '_',
      'FROM a\n',
      ' \t',
      '$',
      '<<-',
      'COPY --from=b c d\n',
    ]
    for (const filler of fillers) {
      const text = `FROM ${filler.repeat((MAX_DOCKERFILE_BYTES - 5) / filler.length)}`
      const startedAt = performance.now()
      refusal(text)
      expect(performance.now() - startedAt).toBeLessThan(60_000)
    }
  })
})

const multiStage = `
# Build and run, apart.
ARG UNUSED=1
FROM golang:1.22-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,id=go-mod,target=/go/pkg/mod,sharing=locked \\
    --mount=type=tmpfs,target=/scratch,size=64m \\
    # fetch first
    go mod download

COPY . .
RUN --network=default CGO_ENABLED=0 go build -o /out/app ./cmd/app \\

  && /out/app --version   \\
  && true
FROM build AS test
RUN go test ./... || echo $((1<<2)) && cat <<<word
from registry.example.org:5000/base/distroless_static:nonroot@sha256:${'a'.repeat(64)} as final
COPY --from=build --chown=65532:65532 /out/app /app
COPY --from=0 /etc/ssl/certs /etc/ssl/certs
COPY --from=busybox:1.36 /bin/busybox /bin/
USER nonroot
ENTRYPOINT ["/app"]
`

const plainPython = [
  '\ufeffFROM --platform=linux/amd64 python:3.12-slim',
  'LABEL org.opencontainers.image.title="Sales report" \\',
  '      maintainer="someone@example.org"',
  'ENV PYTHONUNBUFFERED=1 PATH=/app/bin:$PATH',
  'ARG UID=1000',
  'WORKDIR /app',
  'COPY --chown=${UID}:${UID} --chmod=755 requirements.txt "my file.txt" ./',
  'ADD vendor.tar.gz data/*.csv /opt/',
  'RUN pip install --no-cache-dir -r requirements.txt; \\',
  '    echo "größe --mount=type=bind" > /x',
  'SHELL ["/bin/bash", "-o", "pipefail", "-c"]',
  'VOLUME ["/data"]',
  'EXPOSE 8080/tcp',
  'STOPSIGNAL SIGTERM',
  'HEALTHCHECK --interval=30s --timeout=3s CMD curl -f http://localhost/ || exit 1',
  'USER ${UID}',
  'CMD python main.py --port=$PORT',
].join('\r\n')

describe('an ordinary Dockerfile', () => {
  it('passes with several stages, cache mounts, comments and blank lines inside continuations', () => {
    const { stages, instructions, bases } = checkDockerfile(Buffer.from(multiStage))
    expect(stages.map(({ from, alias, line }) => [from.slice(0, 24), alias, line])).toEqual([
      ['golang:1.22-bookworm', 'build', 4],
      ['build', 'test', 17],
      ['registry.example.org:500', 'final', 19],
    ])
    expect(bases).toEqual([
      'golang:1.22-bookworm',
      `registry.example.org:5000/base/distroless_static:nonroot@sha256:${'a'.repeat(64)}`,
      'busybox:1.36',
    ])
    expect(instructions[4]).toMatchObject({
      line: 7,
      stage: 0,
      keyword: 'RUN',
      flags: [
        { name: 'mount', value: 'type=cache,id=go-mod,target=/go/pkg/mod,sharing=locked' },
        { name: 'mount', value: 'type=tmpfs,target=/scratch,size=64m' },
      ],
      rest: 'go mod download',
    })
    expect(instructions[6]?.rest).toMatch(/^CGO_ENABLED=0 go build .* && true$/)
  })

  it('passes with Windows line ends, a byte order mark and every ordinary instruction', () => {
    const { bases, instructions } = checkDockerfile(Buffer.from(plainPython))
    expect(bases).toEqual(['python:3.12-slim'])
    expect(instructions.map(({ keyword }) => keyword).join(' ')).toBe(
      'FROM LABEL ENV ARG WORKDIR COPY ADD RUN SHELL VOLUME EXPOSE STOPSIGNAL HEALTHCHECK USER CMD',
    )
  })

  it('reads a name as an image until a stage has it', () => {
    const { bases } = checkDockerfile(
      Buffer.from('FROM debian AS debian\nFROM debian\nCOPY --from=debian a b'),
    )
    expect(bases).toEqual(['debian'])
  })

  it.each([
    'FROM scratch',
    'from scratch\ncopy . /',
    '  FROM scratch  ',
    'FROM localhost:5000/a/b:c',
    'FROM scratch\n# check=skip=all\n# a syntax: none\nCOPY a b',
    'FROM scratch\nCMD ["--flag"]',
    'FROM scratch\nHEALTHCHECK NONE\nMAINTAINER me',
    'FROM scratch\nRUN cat /etc/x<<EOF',
    'FROM scratch\n# no\u00a0break in a comment',
    'FROM scratch AS a\nFROM scratch\nCOPY --from=a x y\nCOPY --from=0 x y\nCOPY --from=scratch x y',
    'FROM scratch\nRUN true \\',
    'FROM scratch\nADD --chown=$U:$G dir.git/x /a',
    'FROM scratch\nCOPY --chown="${U}:${G}" --chmod=\'755\' a b\nCOPY --chown="$U":"$G" a b',
    'FROM scratch AS one\nFROM scratch\nCOPY --from="one" a b',
    'FROM --platform=$BUILDPLATFORM golang AS build\nARG TARGETOS TARGETARCH\nFROM --platform=${TARGETPLATFORM:-linux/amd64} scratch',
    'ARG BUILDPLATFORM\nFROM --platform="$BUILDPLATFORM" golang\nFROM --platform=linux/$TARGETARCH scratch',
    'ARG BUILDPLATFORM=linux/amd64 X=$Y\nFROM --platform=$BUILDPLATFORM golang',
    'FROM scratch\nRUN --mount=type=cache,target=/root/.cache/pip --mount=type=cache,target=.cache,sharing=private true',
    'FROM scratch\nRUN --mount=type=cache,id=apt-$TARGETARCH,target=/var/cache/apt,ro=true true',
    'FROM scratch AS b\nFROM scratch\nRUN --mount=type=bind,from=b,target=/b --mount=from=0,source=/,target=/c,readonly true',
    'FROM scratch\nRUN --mount=type=bind,source=req.txt,target=req.txt --mount=target=. true',
    'FROM scratch\nCOPY --link --exclude=a --exclude=b* a b\nCOPY --link=false a b',
    'FROM scratch\nRUN <<EOF\nADD http://example.org/x /x\nRUN --mount=type=bind,target=/a\n\u00a0\\\nEOF',
    'FROM scratch\nRUN cat <<A > ${HOME:-/root}/a && cat <<-"B" > "$X/b"\na\nA\nb\n\t\tB',
    'FROM scratch\nADD --chmod=755 <<"run.sh" a /x/\n$X\nrun.sh\nENV A=<<B',
    'FROM scratch\nRUN [ -e /x ] || cat <<E\nhi\nE',
    'FROM scratch\nRUN \\\n# a comment\n <<E\n# text\n\nE\n',
    'FROM scratch\nRUN x=${Y#*/} && echo $((1<<2)) | grep a <<<"${Y%.*}"',
    `FROM scratch\nCOPY <<E /x\n${'x'.repeat(200_000)}\nE`,
  ])('passes: %j', (text) => {
    expect(refusal(text)).toBe('accepted')
  })
})
