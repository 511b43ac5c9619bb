import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../testing/run-cli.ts'

let home: string
const file = (shell: string) => join(home, `sandbox.${shell}`)

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'cli-completion-'))
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(file(shell), (await runCli(['completion', shell], { home })).stdout)
  }
  writeFileSync(join(home, 'task.yaml'), '')
})
afterAll(() => rmSync(home, { recursive: true }))

/** Words that each shell offers after a line; the last word is the one being completed. */
const offers = {
  bash(line: string): string[] {
    const ask = `source "$0"; COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _sandbox; printf '%s\\n' "\${COMPREPLY[@]}"`
    return asked('bash', ['-c', ask, file('bash')])
  },
  /** The functions of zsh's own completion system are replaced by ones that print. */
  zsh(line: string): string[] {
    const ask = `compdef() { }; compadd() { shift; print -l -- "$@" }; _files() { print -l -- * }
_describe() { print -l -- "\${found[@]%%:*}" }; source "$0"; words=(${line.replace(/ $/, " ''")}); CURRENT=\${#words}; _sandbox`
    return asked('zsh', ['-f', '-c', ask, file('zsh')])
  },
  fish: (line: string): string[] =>
    asked('fish', ['--no-config', '-c', `source ${file('fish')}; complete -C '${line}'`]).map(
      (found) => found.split('\t')[0] ?? '',
    ),
}

function asked(shell: string, args: string[]): string[] {
  const { stdout, stderr, error } = spawnSync(shell, args, {
    cwd: home,
    encoding: 'utf8',
    env: { HOME: home, PATH: '/usr/bin:/bin' },
  })
  expect([error, stderr]).toEqual([undefined, ''])
  return stdout.split('\n').filter(Boolean)
}

test.each(Object.entries(offers))(
  '%s completes commands, subcommands, options and their values',
  (_, offer) => {
    expect(offer('sandbox ')).toEqual(expect.arrayContaining(['run', 'env', 'completion', 'operator']))
    expect(offer('sandbox env ')).toEqual(expect.arrayContaining(['push', 'versions']))
    expect(offer('sandbox env ')).not.toContain('run')
    expect(offer('sandbox env push folder --')).toEqual(
      expect.arrayContaining(['--name', '--json', '--help']),
    )
    expect(offer('sandbox runs --status ')).toEqual(expect.arrayContaining(['queued', 'completed']))
    expect(offer('sandbox task publish --file ')).toContain('task.yaml')
  },
)

test('an unknown shell is refused, and --json lists every command', async () => {
  expect((await runCli(['completion', 'tcsh'], { home })).exitCode).toBe(2)
  const { commands } = JSON.parse((await runCli(['completion', 'bash', '--json'], { home })).stdout)
  expect(commands.map(({ path }: { path: string }) => path)).toContain('sandbox env push')
})
