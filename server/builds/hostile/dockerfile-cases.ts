import { hostileLines } from './dockerfile-lines.ts'

export interface HostileDockerfile {
  class: string
  text: string
  /** With which the gate refuses it. */
  slug: string
}

/** The curated image that tests have: a step can run in it. */
export const testBase = 'curated/python:3.11'

/** What a step does with whatever it could lay hands on. */
const loot = 'find /a /b -xdev -maxdepth 4 -name canary -exec cat {} +; cat /proc/1/environ /etc/shadow; true'

/** Ways into the host that the contract names, and D7. */
const attempts: [slug: string, line: string][] = [
  ['mount_forbidden', `RUN --mount=type=bind,source=/,target=/a ${loot}`],
  ['mount_forbidden', `RUN --mount=type=bind,source=link,target=/a,rw ${loot}`],
  ['mount_forbidden', `RUN --mount=type=bind,from=${testBase},source=/,target=/a,rw ${loot}`],
  ['mount_forbidden', `RUN --mount=type=cache,id=../../../..,target=/a ${loot}`],
  ['mount_forbidden', `RUN --mount=type=cache,from=${testBase},source=../../..,target=/a ${loot}`],
  ['mount_forbidden', `RUN --mount=type=secret,id=x,src=/etc/shadow,target=/a/canary ${loot}`],
  ['mount_forbidden', `RUN --mount=type=ssh,id=x,target=/a ${loot}`],
  ['run_network_forbidden', `RUN --network=host ${loot}`],
  ['run_flag_forbidden', `RUN --security=insecure ${loot}`],
  ['run_flag_forbidden', `RUN --device=/dev/sda ${loot}`],
]

/** The same instruction as a reader might miss it. */
const spellings: [name: string, spell: (line: string) => string][] = [
  ['plain', (line) => line],
  ['lower case', (line) => line.replace(/^[A-Z]+/, (keyword) => keyword.toLowerCase())],
  ['mixed case', (line) => line.replace(/^R/, 'r')],
  ['indented', (line) => ` \t ${line}`],
  ['tabs', (line) => line.replace(/ --/g, '\t--')],
  ['the keyword on two lines', (line) => `${line.slice(0, 2)}\\\n${line.slice(2)}`],
  ['the flag on two lines', (line) => line.replace(/--(..)/, '--$1\\\n')],
  ['the flag behind a comment', (line) => line.replace(' --', ' \\\n# a comment\n --')],
  ['the flag behind a blank line', (line) => line.replace(' --', ' \\\n\n   --')],
  ['Windows line ends', (line) => line.replace(' --', ' \\\r\n --')],
  ['behind an allowed flag', (line) => line.replace(' --', ' --mount=type=tmpfs,target=/t --')],
  ['in a second stage', (line) => `FROM ${testBase} AS second\n${line}`],
]

const spelled = attempts.flatMap(([slug, line]) =>
  spellings.map(
    ([name, spell]): HostileDockerfile => ({
      class: `${slug}, ${name}`,
      text: `FROM ${testBase}\n${spell(line)}\n`,
      slug,
    }),
  ),
)

/** Every hostile Dockerfile: the rules' own cases on a base that has a shell, and the attempts in every spelling. */
export const hostileDockerfiles: HostileDockerfile[] = [
  ...hostileLines.flatMap(([slug, , ...lines]) =>
    lines.map((line) => ({
      class: slug,
      text: `FROM ${testBase}\n${line.replace(/ true$/, ` ${loot}`)}\n`,
      slug,
    })),
  ),
  ...spelled,
]
