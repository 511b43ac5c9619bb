import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Program, programScript } from './program-script.ts'

/* Scripts as a shell of the host executes them, with the workspace in a folder of its own. */

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'door-script-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = (path: string, content: string | Buffer) => ({ path, content: Buffer.from(content) })

function execute(program: Partial<Program>): { output: string; files: (path: string) => Buffer } {
  const script = programScript({
    files: [file('main.sh', 'true')],
    args: [],
    runCommand: 'exec sh "$@"',
    compileCommand: null,
    compiling: 'shared',
    ...program,
  })
  const here = script.replaceAll('/workspace', folder).replaceAll('/.sandbox/busybox', '/bin/busybox')
  execFileSync('sh', ['-c', here], { cwd: folder, stdio: 'pipe' })
  return {
    output: readFileSync(join(folder, 'output.json'), 'utf8'),
    files: (path) => readFileSync(join(folder, 'code', path)),
  }
}

describe('the script of a program', () => {
  const hostile = [
    `it's "quoted"`,
    '$(touch pwned) `touch pwned` $HOME',
    `'; touch pwned; '`,
    '\n\\t\\0 %s %d \\',
    '-n',
    '',
    'EOF\n',
  ]

  it('gives files, arguments and standard input as they are, whatever they contain', () => {
    const printed = 'for a in "$@"; do printf "<%s>" "$a"; done; cat'
    const stdin = hostile.join('\n')
    const { output, files } = execute({
      files: [file('main.sh', printed), ...hostile.map((text, at) => file(`data/${at}`, text))],
      args: hostile,
      stdin,
    })
    expect(output).toBe(hostile.map((text) => `<${text}>`).join('') + stdin)
    for (const [at, text] of hostile.entries()) expect(files(`data/${at}`).toString()).toBe(text)
    expect(() => files('pwned')).toThrow('ENOENT')
  })

  it('gives bytes that are no text, and files whose names look like options or commands', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
    const names = ['-rf/-x', '$(id)', "it's", 'a b;c', 'ü/ö']
    const { files } = execute({ files: [file('main.sh', 'true'), ...names.map((name) => file(name, bytes))] })
    for (const name of names) expect(files(name).equals(bytes)).toBe(true)
  })

  it.each([
    ['a folder', 'nothing', [], false],
    ['a folder, in place of an empty one', 'a folder', ['top/data'], false],
    ['a link, beside files of the image', 'a file beside it', ['top/data', 'top/own'], true],
  ])('has its files in %s where the image has %s', (_what, _image, made, isLink) => {
    for (const path of ['artifacts', 'inputs', ...made]) mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, 'inputs/file-0'), 'given')
    const path = join(folder, 'top/data')
    const { output } = execute({
      files: [file('main.sh', 'pwd; cat given.txt; echo made > made.txt')],
      filesAt: { path, collected: join(folder, 'kept/data') },
      inputs: [{ name: 'file-0', path: 'given.txt' }],
    })
    expect(output).toBe(`${path}\ngiven`)
    expect(lstatSync(path).isSymbolicLink()).toBe(isLink)
    expect(lstatSync(join(folder, 'kept/data')).isDirectory()).toBe(true)
    expect(readdirSync(join(folder, 'kept/data'))).toEqual(['made.txt'])
    expect(readdirSync(join(folder, 'artifacts'))).toEqual(['made.txt'])
  })

  it('ends with the exit code of the program, and does not run what did not compile', () => {
    expect(() => execute({ files: [file('main.sh', 'exit 7')] })).toThrow(
      expect.objectContaining({ status: 7 }),
    )
    const failed = { compileCommand: 'echo wrong >&2; exit 3', runCommand: 'echo ran' }
    expect(() => execute(failed)).toThrow(
      expect.objectContaining({ status: 3, stderr: Buffer.from('wrong\n'), stdout: Buffer.from('') }),
    )
    expect(execute({ compileCommand: 'cp "$1" program', runCommand: 'sh program' }).output).toBe('')
  })
})
