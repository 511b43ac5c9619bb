import { hostileLines } from '../../testing/builds/dockerfile-lines.ts'

export interface HostileDockerfile {
  class: string
  text: string
  /** The slug with which the gate refuses it. */
  slug: string
}

/** The curated image of tests, in which steps can run. */
export const testBase = 'curated/python:3.11'

/** Tries to read files that a step must not reach. */
const loot = 'find /a /b -xdev -maxdepth 4 -name canary -exec cat {} +; cat /proc/1/environ /etc/shadow; true'

/** Attacks on the host that the contract and decision D7 name. */
const attempts: [slug: string, line: string][] = [
  ['mount_source_missing', `RUN --mount=type=bind,source=link,target=/a ${loot}`],
  ['mount_source_missing', `RUN --mount=type=bind,source=x/tmp,target=/a ${loot}`],
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

/** Notations of an instruction that a parser might miss. */
const spellings: [name: string, spell: (line: string) => string][] = [
  ['plain', (line) => line],
  ['lower case', (line) => line.replace(/^[A-Z]+/, (keyword) => keyword.toLowerCase())],
  ['mixed case', (line) => line.replace(/^R/, 'r')],
  ['indented', (line) => ` \t ${line}`],
  ['tabs', (line) => line.replace(/ --/g, '\t--')],
  ['the keyword on two lines', (line) => `${line.slice(0, 2)}\\\n${line.slice(2)}`],
  ['the flag on two lines', (line) => line.replace(/--(..)/, '--$1\\\n')],
  ['the flag after a comment', (line) => line.replace(' --', ' \\\n# a comment\n --')],
  ['the flag after a blank line', (line) => line.replace(' --', ' \\\n\n   --')],
  ['Windows line ends', (line) => line.replace(' --', ' \\\r\n --')],
  ['after an allowed flag', (line) => line.replace(' --', ' --mount=type=tmpfs,target=/t --')],
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

/** Every hostile Dockerfile: the test cases of the rules on a base with a shell, and the attacks in every notation. */
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
