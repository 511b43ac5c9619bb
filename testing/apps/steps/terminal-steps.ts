import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import type { Answer } from '../answer.ts'
import type { DoorSteps, PlatformRequest } from './door-steps.ts'

/** Open WebUI, as its tools and its proxy send requests: with the key of the door, and the user in a header. */
export class TerminalSteps {
  readonly #steps: DoorSteps
  readonly #door: () => DoorWithKey

  /** `door`: the door that the test has created by then. */
  constructor(steps: DoorSteps, door: () => DoorWithKey) {
    this.#steps = steps
    this.#door = door
  }

  /** An empty user: the request names nobody. */
  send<Body = Record<string, unknown>>(
    { path, headers, ...request }: PlatformRequest,
    user = 'ada',
  ): Promise<Answer<Body>> {
    return this.#steps.send<Body>({
      ...request,
      path: `/doors/open_terminal${path}`,
      headers: {
        authorization: `Bearer ${this.#door().door_key}`,
        ...(user !== '' && { 'x-user-id': user }),
        'x-session-id': 'chat-1',
        ...headers,
      },
    })
  }

  get<Body = Record<string, unknown>>(path: string, user?: string): Promise<Answer<Body>> {
    return this.send<Body>({ method: 'GET', path }, user)
  }

  post<Body = Record<string, unknown>>(path: string, body: unknown, user?: string): Promise<Answer<Body>> {
    return this.send<Body>({ path, body }, user)
  }

  delete<Body = Record<string, unknown>>(path: string, user?: string): Promise<Answer<Body>> {
    return this.send<Body>({ method: 'DELETE', path, body: {} }, user)
  }
}
