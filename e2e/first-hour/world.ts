import type { FreshRoot } from './fresh-root.ts'
import { OwnCommand } from './own-command.ts'

/** The company of the quickstart on the new root, and the commands of its people, each on a machine of their own. */
export class World {
  readonly root: FreshRoot
  readonly port: number
  /** Of the services that run on the new root. */
  readonly dataFolders = ['/var/lib/sandbox-jobs']
  readonly #commands = new Map<string, OwnCommand>()

  constructor(root: FreshRoot, port: number) {
    this.root = root
    this.port = port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The command of a person, who is logged in. */
  async commandOf(user: string): Promise<OwnCommand> {
    const known = this.#commands.get(user)
    if (known) return known
    const command = await OwnCommand.download(this.url)
    this.#commands.set(user, command)
    await command.logIn(user, await this.passwordOf(user))
    return command
  }

  /** The quickstart keeps Ada's password; the operator sets others. */
  async passwordOf(user: string): Promise<string> {
    if (user === 'ada') return (await this.root.readFile('var/lib/sandbox-jobs/quickstart/password')).trim()
    const set = await this.root.command('./sandbox', 'admin', 'set-password', user, '--json')
    if (set.code !== 0) throw new Error(set.text)
    return (JSON.parse(set.text) as { password: string }).password
  }

  async dispose(): Promise<void> {
    for (const folder of this.dataFolders)
      await this.root.command('env', `SANDBOX_DATA=${folder}`, './sandbox', 'down')
    for (const command of this.#commands.values()) await command.dispose()
    await this.root.dispose()
  }
}
