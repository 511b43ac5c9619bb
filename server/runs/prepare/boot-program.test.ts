// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell variables look like this
import { execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { entryBlocks } from '../parts/entry-blocks.ts'
import { bootArgv, bootInput, bootInputWith, type Job, unpackingMark } from './boot-program.ts'

let root: string

/** The content of a sandbox of an image `FROM scratch`, as far as the boot program is concerned. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sandbox-test-boot-'))
  for (const folder of ['.sandbox', 'workspace', 'dev', 'bin']) mkdirSync(join(root, folder))
  copyFileSync('/bin/busybox', join(root, '.sandbox/busybox'))
  execFileSync('/usr/bin/mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3'])
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const plain: Job = {
  imageEnv: [],
  env: {},
  secrets: {},
  identity: { runId: 'run_1', chatroomId: 'roo_1', taskId: 'tsk_1', taskVersionId: 'tvr_1' },
  startupScript: '',
  workScript: '',
  driver: '. /workspace/work.sh',
  input: Buffer.from('{}'),
  claimedAt: new Date(),
}

interface Ended {
  code: number | null
  text: string
}

/** Boots a job in `root` with the program, arguments and standard input that a sandbox gets. */
const boot = (change: Partial<Job>): Promise<Ended> => bootWith(bootInput({ ...plain, ...change }))

async function bootWith(input: Buffer): Promise<Ended> {
  const child = spawn('/usr/sbin/chroot', [root, ...bootArgv], { env: {}, stdio: ['pipe', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { code, text }
}

const shown = '/.sandbox/busybox env -0'

describe('booting a job', () => {
  it('says in the log that it was not the job which failed', async () => {
    const empty = await bootWith(Buffer.alloc(0))
    expect(empty).toEqual({ code: 125, text: 'sandbox: the start of the input is cut\n' })
    const whole = bootInput({ ...plain, input: Buffer.alloc(10_000, 32) })
    const cut = await bootWith(whole.subarray(0, whole.length - 9000))
    expect(cut.code).toBe(125)
    expect(cut.text).toContain('sandbox: the files of the run do not fit into the workspace\n')
  })

  it('removes the mark of a session that is being unpacked, before the job starts and not earlier', async () => {
    const session = (async function* (): AsyncGenerator<ArchiveEntry> {
      yield { path: 'session', kind: 'directory', mode: 0o755, byteSize: 0 }
      yield { path: 'session/a', kind: 'file', mode: 0o644, byteSize: 0 }
    })()
    const blocks = async function* () {
      yield unpackingMark(1)
      yield* entryBlocks(session, 1)
    }
    const input = Buffer.alloc(10_000, 32)
    const workScript = '/.sandbox/busybox ls -A session; [ -e .sandbox-unpacking ] || echo unpacked'
    const whole = await buffer(bootInputWith({ ...plain, input, workScript }, blocks()))
    const isMarked = () => existsSync(join(root, 'workspace/.sandbox-unpacking'))
    expect((await bootWith(whole.subarray(0, whole.length - 9000))).code).toBe(125)
    expect([isMarked(), readdirSync(join(root, 'workspace/session'))]).toEqual([true, ['a']])
    expect(await bootWith(whole)).toEqual({ code: 0, text: 'a\nunpacked\n' })
    expect(isMarked()).toBe(false)
  })

  it('gives the files of the run the time of its claim', async () => {
    const claimedAt = new Date(1_600_000_000_999)
    const ended = await boot({ claimedAt, workScript: "/.sandbox/busybox stat -c '%n %Y' *" })
    const files = ['artifacts', 'driver.sh', 'input.json', 'startup.sh', 'work.sh']
    expect(ended.text).toBe(files.map((name) => `${name} 1600000000\n`).join(''))
  })

  it('runs the startup script, then the work script, in one shell at the workspace', async () => {
    const ended = await boot({ startupScript: 'greeting=hello', workScript: 'echo "$greeting from $PWD"' })
    expect(ended).toEqual({ code: 0, text: 'hello from /workspace\n' })
  })

  it('ends with the status of the chain, and does not start the work after a failed startup', async () => {
    expect(await boot({ workScript: 'exit 3' })).toEqual({ code: 3, text: '' })
    expect(await boot({ startupScript: '(exit 4)', workScript: 'echo no' })).toEqual({ code: 4, text: '' })
  })

  it('writes the work command verbatim into the driver', async () => {
    const driver = `printf '%s\\n' "a  b" 'c"d' ; x=\\$HOME`
    expect((await boot({ driver })).text).toBe('a  b\nc"d\n')
    expect(readFileSync(join(root, 'workspace/driver.sh'), 'utf8')).toBe(driver)
  })

  it('lays out the input byte for byte and names its paths', async () => {
    const input = Buffer.from(`{"a":"é\\n'\\""}`)
    const workScript = 'echo "$SERVICE_INPUTS_FILE $SERVICE_OUTPUT_FILE $SERVICE_ARTIFACTS_DIR"'
    const ended = await boot({ input, workScript })
    expect(ended.text).toBe('/workspace/input.json /workspace/output.json /workspace/artifacts\n')
    expect(readFileSync(join(root, 'workspace/input.json'))).toEqual(input)
    expect(existsSync(join(root, 'workspace/artifacts'))).toBe(true)
    expect(existsSync(join(root, 'workspace/output.json'))).toBe(false)
  })

  it('carries an input and scripts of a mebibyte', async () => {
    const filler = `# ${'x'.repeat(1024 * 1024 - 32)}`
    const input = Buffer.from(JSON.stringify('y'.repeat(1024 * 1024 - 2)))
    const ended = await boot({ startupScript: filler, workScript: `${filler}\necho done`, input })
    expect(ended).toEqual({ code: 0, text: 'done\n' })
    expect(readFileSync(join(root, 'workspace/input.json'))).toEqual(input)
  })

  it('leaves nothing on standard input', async () => {
    expect((await boot({ workScript: 'read -r line; echo "[$line]"' })).text).toBe('[]\n')
  })

  it.each([
    ['quotes', `it's "quoted" \`here\``],
    ['expansions', '$(touch /workspace/owned) `touch /workspace/owned` $HOME $((1+1)) *'],
    ['new lines', `first\n'; touch /workspace/owned; '\nlast\n`],
    ['a backslash at its end', '\\'],
    ['other scripts', 'žluťoučký 🐴 \u202e'],
    ['an end of the word', `'; touch /workspace/owned #`],
    ['sixty-four kibibytes', `'`.repeat(64 * 1024)],
  ])('hands over a value with %s as it is', async (_name, value) => {
    const ended = await boot({ env: { HOSTILE: value }, workScript: shown })
    expect(ended.text.split('\0')).toContain(`HOSTILE=${value}`)
    expect(existsSync(join(root, 'workspace/owned'))).toBe(false)
  })

  it('exports secrets above the environment of the version', async () => {
    const change = { env: { TOKEN: 'ordinary', OTHER: 'kept' }, secrets: { TOKEN: `it's "secret"\n` } }
    const ended = await boot({ ...change, workScript: shown })
    expect(ended.text.split('\0')).toEqual(expect.arrayContaining([`TOKEN=it's "secret"\n`, 'OTHER=kept']))
  })

  it('lets a tenant break only the own job', async () => {
    const env = { IFS: 'abc/', PATH: '/nowhere', ENV: '/workspace/x', PS4: '$(touch /workspace/owned)' }
    expect(await boot({ env, workScript: 'echo "$PATH"' })).toEqual({ code: 0, text: '/nowhere\n' })
  })

  it('takes the environment of the image below that of the version, and its own paths above both', async () => {
    const imageEnv = [
      'PATH=/opt/bin',
      'LANG=C.UTF-8',
      'BAD NAME=1',
      'no-value',
      "X=a'b\nc",
      'SERVICE_OUTPUT_FILE=/etc/x',
    ]
    const ended = await boot({ imageEnv, env: { LANG: 'de_DE' }, workScript: shown })
    const env = ended.text.split('\0')
    expect(env).toEqual(
      expect.arrayContaining([
        'PATH=/opt/bin',
        'LANG=de_DE',
        "X=a'b\nc",
        'SERVICE_OUTPUT_FILE=/workspace/output.json',
      ]),
    )
    expect(env.filter((pair) => /^(_boot|BAD|no)/.test(pair))).toEqual([])
  })

  it('leaves the home that the sandbox has, and gives a locale to an image without one', async () => {
    expect((await boot({ workScript: 'echo "${HOME-none} $LANG"' })).text).toBe('none C.UTF-8\n')
    const imageEnv = ['HOME=/opt', 'LANG=C']
    expect((await boot({ imageEnv, workScript: 'echo "$HOME $LANG"' })).text).toBe('/opt C\n')
  })

  it('runs the chain in the shell of an image that has one', async () => {
    writeFileSync(join(root, 'bin/sh'), '#!/.sandbox/busybox sh\necho "image: $1 $2"\n', { mode: 0o755 })
    const ended = await boot({ workScript: 'echo platform' })
    expect(ended.text).toBe('image: -c . /workspace/startup.sh && . /workspace/driver.sh\n')
  })

  it('names nothing of a tenant in its arguments', () => {
    expect(bootArgv.join(' ')).not.toContain('export')
  })
})
