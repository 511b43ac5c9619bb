import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'

/** An administrator of the example company, who lends the two parties a key each and takes them back at the end. */
export class Company {
  readonly client: Client
  /** Login token. */
  readonly token: string
  readonly #url: string
  readonly #keys: string[] = []

  private constructor(url: string, token: string) {
    this.#url = url
    this.token = token
    this.client = createClient({ baseUrl: url, token })
  }

  static async logIn(url: string, username: string, password: string): Promise<Company> {
    const { access_token } = await createClient({ baseUrl: url }).call(allRoutes.createToken, {
      body: { username, password },
    })
    return new Company(url, access_token)
  }

  async department(name: string): Promise<string> {
    const { items } = await this.client.call(allRoutes.listDepartments, { query: { page_size: 100 } })
    return named(items, name).id
  }

  async room(name: string): Promise<string> {
    const { items } = await this.client.call(allRoutes.listChatrooms, { query: { page_size: 100 } })
    return named(items, name).id
  }

  async user(login: string): Promise<string> {
    const { items } = await this.client.call(allRoutes.listUsers, { query: { page_size: 100 } })
    const user = items.find((each) => each.login === login)
    if (!user) throw new Error(`there is no user ${login}: apply examples/company.yaml`)
    return user.id
  }

  /** Calls the service as this person. */
  async as(login: string): Promise<Client> {
    const key = await this.client.call(allRoutes.createApiKey, {
      body: {
        name: `shared-credential ${login} ${randomUUID()}`,
        scope: 'full',
        owner_user_id: await this.user(login),
      },
    })
    this.#keys.push(key.id)
    return createClient({ baseUrl: this.#url, apiKey: key.api_key })
  }

  async endKeys(): Promise<void> {
    for (const id of this.#keys) await this.client.call(allRoutes.revokeApiKey, { params: { id } })
  }
}

function named<T extends { name: string }>(items: readonly T[], name: string): T {
  const found = items.find((each) => each.name === name)
  if (!found) throw new Error(`there is no ${name}: apply examples/company.yaml`)
  return found
}
