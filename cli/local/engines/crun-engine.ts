import { createReadStream } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CliError, exitCodes } from '../../failure.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { type BuiltRoot, buildRoot } from './buildah-image.ts'
import { bundleOf, bundleScript, type ImageUser } from './crun-bundle.ts'
import {
  type Container,
  type Engine,
  type ImageConfig,
  type ImageSource,
  killedCode,
  type ResultName,
  type SandboxPlan,
} from './engine.ts'
import { type MemoryGroup, makeMemoryGroup } from './memory-group.ts'
import { type Started, startLogged } from './program.ts'

const isRoot = process.getuid?.() === 0

/** crun on a folder that holds a root file system, or on an image that buildah builds. */
export class CrunEngine implements Engine {
  readonly name = 'crun'
  readonly notLimited = isRoot ? ['processors'] : ['processors', 'memory', 'the number of processes']
  #root = ''
  #user: ImageUser = { uid: 0, gid: 0 }
  #built: BuiltRoot | undefined

  async prepare(
    source: ImageSource,
    onLog: (bytes: Buffer) => void,
    signal: AbortSignal,
  ): Promise<ImageConfig> {
    if (source.kind === 'rootfs') {
      this.#root = resolve(source.path)
      if (!(await stat(this.#root).catch(() => undefined))?.isDirectory()) throw noFolder(source.path)
      return { env: [] }
    }
    this.#built = await buildRoot(source, onLog, signal)
    this.#root = this.#built.root
    this.#user = this.#built.user
    return { env: this.#built.env }
  }

  async create(plan: SandboxPlan): Promise<Container> {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-local-'))
    try {
      for (const name of ['root', 'space', 'state']) await mkdir(join(folder, name))
      // A link, because a path in the options of a mount must not hold commas and colons.
      await symlink(this.#root, join(folder, 'lower'))
      await copyFile(plan.archive, join(folder, 'archive.tar'))
      await writeFile(join(folder, 'config.json'), JSON.stringify(bundleOf(plan, folder, this.#user)))
      const group = isRoot ? await makeMemoryGroup(plan) : undefined
      return new CrunContainer(folder, plan, group)
    } catch (error) {
      await rm(folder, { recursive: true })
      throw error
    }
  }

  async dispose(): Promise<void> {
    await this.#built?.remove()
  }
}

class CrunContainer implements Container {
  readonly #folder: string
  readonly #plan: SandboxPlan
  readonly #group: MemoryGroup | undefined
  #started: Started | undefined
  #isKilled = false

  constructor(folder: string, plan: SandboxPlan, group: MemoryGroup | undefined) {
    this.#folder = folder
    this.#plan = plan
    this.#group = group
  }

  async run(onLog: (bytes: Buffer) => void) {
    const folder = this.#folder
    const own = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
    const namespaces = ['unshare', ...own, ...(isRoot ? [] : ['--user', '--map-root-user'])]
    const options = isRoot ? '' : ',userxattr'
    const args = [folder, String(this.#plan.workspaceMib), options, ...(this.#group?.joinFiles ?? [])]
    this.#started = startLogged([...namespaces, 'sh', '-c', bundleScript, 'sh', ...args], onLog)
    if (this.#isKilled) this.#started.endInput()
    await this.#started.code
    const code = await readFile(join(folder, 'code'), 'utf8').catch(() => '')
    if (code === '' && !this.#isKilled) throw notRun
    if (code === '') return { exitCode: killedCode, outOfMemory: false }
    return { exitCode: Number(code), outOfMemory: (await this.#group?.ranOut()) === true }
  }

  /** The script ends all programs with its standard input. */
  async kill(): Promise<void> {
    this.#isKilled = true
    this.#started?.endInput()
  }

  /** That input ends with this command. */
  abandon(): void {}

  async *result(name: ResultName) {
    const path = join(this.#folder, `${name}.tar`)
    if (await stat(path).catch(() => undefined)) yield* createReadStream(path)
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
    await this.#group?.remove()
  }
}

const noFolder = (path: string) =>
  new CliError(`There is no folder ${escapeControls(path)}.`, {
    hint: 'Name a folder that holds the files of an image, such as bin, lib and usr.',
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })

const notRun = new CliError('crun did not run the program to its end.', {
  hint: 'Read what was printed above. Without root it needs user namespaces; with root it needs nothing else.',
  code: 'cli_local',
})
