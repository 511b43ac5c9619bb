/** Calls of a chat platform to Sandbox Jobs: a login, messages of a person, and the tools of their turns. */

export interface Tool {
  name: string
  description: string
  input_schema: Record<string, unknown>
}

/** The answer of a tool. A refusal has `status` `error`, `error` and `message`. */
export type ToolResult = Record<string, unknown> & { status: 'ok' | 'error' }

/** Ten minutes in which an agent acts for a person, after a message of theirs. */
export interface Turn {
  tools(): Promise<Tool[]>
  call(name: string, parameters: unknown): Promise<ToolResult>
}

export class Person {
  readonly url: string
  readonly token: string

  private constructor(url: string, token: string) {
    this.url = url
    this.token = token
  }

  static async logIn(url: string, username: string, password: string): Promise<Person> {
    const body = new URLSearchParams({ username, password })
    const { access_token } = await request<{ access_token: string }>(`${url}/public/auth/token`, {
      method: 'POST',
      body,
    })
    return new Person(url, access_token)
  }

  /** The id of a room that the person is in or manages. */
  async room(name: string): Promise<string> {
    const { items } = await this.#get<{ items: { id: string; name: string }[] }>(
      '/private/module/sandbox_ext/chatrooms',
    )
    const room = items.find((each) => each.name === name)
    if (!room) throw new Error(`${name} is no room of this person`)
    return room.id
  }

  /** Lets the agents of a room have the tools, as a manager of the room. */
  async allowAgents(room: string): Promise<void> {
    await request(`${this.url}/private/chatrooms/setting/jobs/${room}`, {
      ...jsonPost({ jobs: ['sandbox'] }, { authorization: `Bearer ${this.token}` }),
      method: 'PATCH',
    })
  }

  /** Posts a message, which starts a turn. */
  async say(room: string, text: string): Promise<Turn> {
    const { turn_context } = await request<{ turn_context: string }>(
      `${this.url}/private/platform/chatrooms/${room}/messages`,
      jsonPost({ text }, { authorization: `Bearer ${this.token}` }),
    )
    const tools = `${this.url}/private/agent/tools`
    const headers = { 'x-turn-context': turn_context }
    return {
      tools: async () => (await request<{ items: Tool[] }>(tools, { headers })).items,
      call: (name, parameters) => request<ToolResult>(`${tools}/${name}`, jsonPost(parameters, headers)),
    }
  }

  #get<T>(path: string): Promise<T> {
    return request<T>(`${this.url}${path}`, { headers: { authorization: `Bearer ${this.token}` } })
  }
}

const jsonPost = (body: unknown, headers: Record<string, string>): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

export async function request<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${url} answers ${response.status}: ${text}`)
  return JSON.parse(text) as T
}
