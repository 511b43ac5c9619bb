import { expect, it, test } from 'vitest'
import { checkDockerfile } from './dockerfile.ts'
import { withMountChecks } from './mount-checks.ts'

/** The words after the line that the program gets. */
function words(...lines: string[]): string[] {
  const { instructions } = withMountChecks(checkDockerfile(Buffer.from(lines.join('\n'))))
  const check = instructions.flatMap(({ check: text }) => text ?? []).at(-1) ?? ''
  const command = check.slice(check.indexOf('["'))
  return command === '' ? [] : (JSON.parse(command) as string[]).slice(4)
}

const mount = (...values: string[]) => `RUN ${values.map((value) => `--mount=${value}`).join(' ')} true`

test.each<[string, string[], string[]]>([
  ['absolute', ['FROM x', mount('type=tmpfs,target=/a//b')], ['plain', '/a/b']],
  ['in the base image’s directory', ['FROM y', 'FROM x', mount('source=a,target=./a')], ['plain', '@1/a']],
  ['the directory itself', ['FROM scratch', 'WORKDIR /w/', mount('target=.')], ['plain', '/w']],
  ['below several', ['FROM x', 'WORKDIR w', 'WORKDIR "v"', mount('target=a')], ['plain', '@0/w/v/a']],
  [
    'in the directory of an earlier stage',
    ['FROM x AS one', 'WORKDIR /one', 'FROM one', 'WORKDIR two', mount('target=a')],
    ['plain', '/one/two/a'],
  ],
  [
    'what steps may have filled',
    ['FROM x AS one', 'FROM x', mount('type=cache,target=/c', 'from=one,target=/s', 'target=/b')],
    ['steps', '/c', 'steps', '/s', 'plain', '/b'],
  ],
])('a target that is %s', (_what, lines, expected) => {
  expect(words(...lines)).toEqual(expected)
})

test('a step without a mount has no check', () => {
  expect(words('FROM x', 'RUN true', 'COPY a /b')).toEqual([])
})

it.each(['$HOME', '/a/../b', '..', '"a b"', '@0/x', "'/a'"])(
  'a relative target after WORKDIR %s is refused, and an absolute one is not',
  (path) => {
    const lines = ['FROM x', 'WORKDIR /first', `WORKDIR ${path}`]
    expect(() => words(...lines, mount('target=a'))).toThrow('mount_target_uncertain')
    expect(words(...lines, mount('target=/a'))).toEqual(['plain', '/a'])
    expect(words(...lines, 'WORKDIR /plain', mount('target=a'))).toEqual(['plain', '/plain/a'])
  },
)
