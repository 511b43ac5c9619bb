import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../cli/testing/run-cli.ts'
import { checkout, type Service } from '../main-job/service.ts'

const room = 'daily-numbers'

/** An author who deploys a project and runs it with the `sandbox` command. */
export class Author {
  readonly #home: string

  private constructor(home: string) {
    this.#home = home
  }

  static async logIn({ url, user, password }: Service): Promise<Author> {
    const author = new Author(await mkdtemp(join(tmpdir(), 'author-')))
    await author.command(['login', '--url', url, '--user', user], { SANDBOX_PASSWORD: password })
    return author
  }

  /** Output of a command, or an error with all of its output. */
  async command(args: string[], env: Record<string, string> = {}): Promise<string> {
    const { exitCode, stdout, stderr } = await runCli(args, { home: this.#home, env })
    if (exitCode === 0) return stdout
    throw new Error(`sandbox ${args.join(' ')} ends with ${exitCode}:\n${stdout}${stderr}`)
  }

  /** A project from a template of `sandbox init`, on this base image. */
  async fromTemplate(template: string, name: string, base: string): Promise<void> {
    await this.command(['init', name, '--template', template, '--room', room])
    await this.#startFrom(name, base)
  }

  /** A copy of an example, on this base image. */
  async fromExample(example: string, name: string, base: string): Promise<void> {
    await cp(join(checkout, 'examples', example), join(this.#home, name), { recursive: true })
    const taskFile = join(this.#home, name, 'task.yaml')
    const text = await readFile(taskFile, 'utf8')
    await writeFile(taskFile, text.replaceAll(`name: ${example}`, `name: ${name}`))
    await this.#startFrom(name, base)
  }

  /** Builds the project's environment, publishes its task, runs it on its example and returns its output. */
  async deployAndRun(name: string): Promise<unknown> {
    await this.command(['deploy', name])
    const input = `${name}/input.json`
    return JSON.parse(await this.command(['run', name, '--room', room, '--input', input, '--watch']))
  }

  /** Runs a script once in an environment and returns its output. */
  async quickRun(environment: string, script: string): Promise<unknown> {
    const file = join(this.#home, `${environment}.sh`)
    await writeFile(file, script)
    const where = ['--env', environment, '--room', room]
    return JSON.parse(await this.command(['quick-run', file, ...where, '--watch']))
  }

  /** Builds an environment from a Dockerfile alone. */
  async build(name: string, dockerfile: string): Promise<void> {
    const folder = join(this.#home, name)
    await mkdir(folder)
    await writeFile(join(folder, 'Dockerfile'), dockerfile)
    await this.command(['env', 'push', folder, '--name', name, '--follow'])
  }

  dispose(): Promise<void> {
    return rm(this.#home, { recursive: true, force: true })
  }

  async #startFrom(project: string, base: string): Promise<void> {
    const path = join(this.#home, project, 'image/Dockerfile')
    const dockerfile = await readFile(path, 'utf8')
    await writeFile(path, dockerfile.replace(/^FROM \S+$/m, `FROM ${base}`))
  }
}
