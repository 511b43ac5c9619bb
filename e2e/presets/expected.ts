/** Examples of environments that install packages, by language, and the output of a run with their example input. */
export const packageExamples: Record<string, { example: string; output: unknown } | undefined> = {
  python: {
    example: 'python-packages',
    output: {
      table: '| product   |   sold |\n|-----------|--------|\n| Tea       |     12 |\n| Coffee    |     30 |',
    },
  },
  node: {
    example: 'node-packages',
    output: { value: { name: 'report', rooms: ['sales', 'support'] } },
  },
  java: { example: 'java-packages', output: { sums: { sold: 42, price: 5.5 } } },
}

/**
 * Steps of a Dockerfile that work on the hub's Debian images, so on every preset: users, processes, time zones, a UTF-8 locale.
 * A step that fails ends the build.
 */
const basicSteps = [
  'RUN useradd -m app && groupadd crew',
  'RUN ps -e | grep -q ps',
  'RUN test "$(TZ=Asia/Taipei date -d @0 +%H)" = 08',
  'RUN test "$LANG" = C.UTF-8 && test "$(locale charmap)" = UTF-8',
  'RUN test -s /etc/ssl/certs/ca-certificates.crt',
  'USER app',
  'WORKDIR /home/app',
  'RUN test "$(id -un)" = app && touch hello',
]

/** Further steps by language. */
const ownSteps: Record<string, string[] | undefined> = {
  python: [
    'RUN python3 -c "import zoneinfo; zoneinfo.ZoneInfo(\'Asia/Taipei\')"',
    'RUN python3 -m venv /tmp/venv && /tmp/venv/bin/pip --version',
  ],
  node: [
    'COPY --chown=node:node Dockerfile /home/node/app/Dockerfile',
    'USER node',
    'WORKDIR /home/node/app',
    "RUN node -e \"const u = os.userInfo(); if (u.username !== 'node' || u.uid !== 1000 || u.homedir !== '/home/node') throw u\"",
    'RUN test "$(stat -c %U Dockerfile)" = node',
  ],
  fonts: ['RUN fc-match -f "%{family}" sans:lang=ja | grep -q CJK', 'RUN fc-list | grep -q DejaVu'],
}

/** A Dockerfile that verifies what a preset of that language has. */
export const basicDockerfile = (language: string, base: string): string =>
  [`FROM ${base}`, ...basicSteps, ...(ownSteps[language] ?? []), ''].join('\n')

/** The template of `sandbox init` that a preset runs: that of its language, or a shell program. */
export const templateOf = (language: string): string => (language === 'fonts' ? 'shell' : language)
