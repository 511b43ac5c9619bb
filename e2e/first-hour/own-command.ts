import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Printed, printed } from './fresh-root.ts'
import { requireParts } from './step.ts'

/** Debian's or another Node 20 on the machine of a person; the service brings its own. */
const nodeOfPeople = '/usr/bin/node'

/** The command as a person has it on a machine of their own: one file from the service, and a home folder. */
export class OwnCommand {
  readonly home: string
  /** Variables that the person has set in the environment. */
  readonly settings: Record<string, string> = {}
  readonly #url: string

  private constructor(home: string, url: string) {
    this.home = home
    this.#url = url
  }

  static async download(url: string): Promise<OwnCommand> {
    const response = await fetch(`${url}/cli`)
    if (!response.ok) throw new Error(`GET /cli answers ${response.status}`)
    const home = await mkdtemp(join(tmpdir(), 'first-hour-home-'))
    await writeFile(join(home, 'sandbox'), await response.text(), { mode: 0o755 })
    return new OwnCommand(home, url)
  }

  run(argv: string[], env: Record<string, string> = {}): Promise<Printed> {
    const own = { PATH: '/usr/bin:/bin', HOME: this.home, ...this.settings, ...env }
    return printed(nodeOfPeople, [join(this.home, 'sandbox'), ...argv], { cwd: this.home, env: own })
  }

  /** Throws with what it printed if the command fails or a part is missing. */
  async must(argv: string[], ...parts: (string | RegExp)[]): Promise<string> {
    const { code, text } = await this.run(argv)
    if (code !== 0) throw new Error(`sandbox ${argv.join(' ')} ends with ${code}:\n${text}`)
    requireParts(text, ...parts)
    return text
  }

  /** Throws if the command succeeds, or its words lack a part. */
  async mustFail(argv: string[], ...parts: (string | RegExp)[]): Promise<void> {
    const { code, text } = await this.run(argv)
    if (code === 0) throw new Error(`sandbox ${argv.join(' ')} succeeds:\n${text}`)
    requireParts(text, ...parts)
  }

  async logIn(user: string, password: string, url = this.#url): Promise<void> {
    const { code, text } = await this.run(['login', '--url', url, '--user', user], {
      SANDBOX_PASSWORD: password,
    })
    if (code !== 0) throw new Error(text)
  }

  dispose(): Promise<void> {
    return rm(this.home, { recursive: true, force: true })
  }
}
