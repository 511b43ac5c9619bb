import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { makeDebian } from '../../../server/operations/host/debian.ts'
import { runCommand } from '../../../server/operations/host/run-command.ts'

/** Parts that the builder's parser finds in a Dockerfile. */
export interface ParsedFile {
  error?: string
  escape: string
  instructions: ParsedInstruction[]
}

interface ParsedInstruction {
  /** Lower case. */
  keyword: string
  flags: string[] | null
  /** The logical line. */
  text: string
  /** Physical lines, from 1. */
  start: number
  end: number
  heredocs: { name: string; content: string; expand: boolean; chomp: boolean }[]
}

const folder = '/var/lib/sandbox-jobs-test/trixie'
const program = join(import.meta.dirname, 'main.go')
/** The library that buildah in the same release is built with. */
const packages = ['golang-go', 'golang-github-openshift-imagebuilder-dev']

/** The path of the compiled parser, which is made once per change of its program. Needs root, `mmdebstrap` and two minutes. */
async function builderParser(): Promise<string> {
  const source = await readFile(program)
  const path = join(
    folder,
    `builder-parser-${createHash('sha256').update(source).digest('hex').slice(0, 16)}`,
  )
  const isMade = await access(path).then(
    () => true,
    () => false,
  )
  if (isMade) return path
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(folder, 'compiling-'))
  try {
    const root = join(work, 'root')
    await makeDebian(root, { suite: 'trixie', packages })
    await runCommand('install', ['-D', program, join(root, 'build/main.go')])
    const settings = [
      'GOROOT=/usr/lib/go',
      'GO111MODULE=off',
      'GOPATH=/usr/share/gocode',
      'CGO_ENABLED=0',
      'HOME=/build',
      'PATH=/usr/bin:/bin',
    ]
    await runCommand('chroot', [
      root,
      'env',
      '-i',
      ...settings,
      'go',
      'build',
      '-o',
      '/build/parser',
      '/build/main.go',
    ])
    await rename(join(root, 'build/parser'), path)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return path
}

/** A process that parses Dockerfiles as the builder does. */
export class BuilderParser {
  readonly #child
  readonly #lines

  private constructor(path: string) {
    this.#child = spawn(path, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]()
  }

  static async start(): Promise<BuilderParser> {
    return new BuilderParser(await builderParser())
  }

  async parse(texts: string[]): Promise<ParsedFile[]> {
    this.#child.stdin.write(texts.map((text) => `${JSON.stringify(text)}\n`).join(''))
    const parsed: ParsedFile[] = []
    while (parsed.length < texts.length) {
      const { value, done } = await this.#lines.next()
      if (done) throw new Error(`the builder's parser ended after ${parsed.length} of ${texts.length} files`)
      parsed.push(JSON.parse(value) as ParsedFile)
    }
    return parsed
  }

  end(): void {
    this.#child.stdin.end()
  }
}
