import { signInRoutes } from '@sandbox-jobs/contract/routes/sign-in-routes.ts'
import type { LightMyRequestResponse } from 'fastify'
import type { TestApi } from '../test-api.ts'

type Headers = Record<string, string>

interface Sent {
  cookie?: string
  body?: unknown
  headers?: Headers
}

/** Requests as a browser makes them for a page of the console. */
export class BrowserSteps {
  readonly #app: TestApi['app']
  readonly #origin: string

  constructor({ app }: Pick<TestApi, 'app'>, baseUrl: string) {
    this.#app = app
    this.#origin = new URL(baseUrl).origin
  }

  /** The headers of a request of the console's page that changes something. */
  get headers(): Headers {
    return { 'sec-fetch-site': 'same-origin', origin: this.#origin, 'x-sandbox-console': '1' }
  }

  /** The cookie, as later requests send it. */
  async signIn(body: { username: string; password: string }, headers: Headers = {}): Promise<string> {
    const answer = await this.post(signInRoutes.createSignIn.path, { body, headers })
    if (answer.statusCode !== 200) throw new Error(`signing in: ${answer.body}`)
    return String(answer.headers['set-cookie']).split(';')[0] ?? ''
  }

  get(url: string, cookie: string, headers: Headers = {}): Promise<LightMyRequestResponse> {
    return this.#app.inject({
      method: 'GET',
      url,
      headers: { 'sec-fetch-site': 'same-origin', cookie, ...headers },
    })
  }

  end(which: string, cookie: string): Promise<LightMyRequestResponse> {
    return this.post(signInRoutes.endSignIns.path, { cookie, body: { which } })
  }

  post(url: string, sent: Sent): Promise<LightMyRequestResponse> {
    return this.#send('POST', url, sent)
  }

  put(url: string, sent: Sent): Promise<LightMyRequestResponse> {
    return this.#send('PUT', url, sent)
  }

  #send(
    method: 'POST' | 'PUT',
    url: string,
    { cookie, body, headers }: Sent,
  ): Promise<LightMyRequestResponse> {
    return this.#app.inject({
      method,
      url,
      headers: { ...this.headers, ...(cookie !== undefined && { cookie }), ...headers },
      ...(body !== undefined && { payload: body as object }),
    })
  }
}
