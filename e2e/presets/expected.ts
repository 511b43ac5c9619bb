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

/**
 * A script for a run on the preset of a language, and its output: Java names files in UTF-8, and takes for its heap a part of the
 * memory of the profile, not of the machine.
 */
export const runScripts: Record<string, { script: string; output: unknown } | undefined> = {
  java: {
    script: `
cat >Check.java <<'X'
class Check {
  public static void main(String[] none) throws Exception {
    var file = java.nio.file.Path.of("報告.txt");
    java.nio.file.Files.createFile(file);
    var small = Runtime.getRuntime().maxMemory() < 256L << 20;
    var json = "{\\"file\\":\\"" + file + "\\",\\"small\\":" + small + "}";
    java.nio.file.Files.writeString(java.nio.file.Path.of(System.getenv("SERVICE_OUTPUT_FILE")), json);
  }
}
X
java Check.java
ls 報告.txt
`,
    output: { file: '報告.txt', small: true },
  },
}

/** A Dockerfile that verifies what a preset of that language has. */
export const basicDockerfile = (language: string, base: string): string =>
  [`FROM ${base}`, ...basicSteps, ...(ownSteps[language] ?? []), ''].join('\n')

/** The template of `sandbox init` that a preset runs: that of its language, or a shell program. */
export const templateOf = (language: string): string => (language === 'fonts' ? 'shell' : language)
