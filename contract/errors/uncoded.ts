/** Answers whose `detail` is plain text: they come from the layers before a route (contract part 2, "Errors"). */
export const uncoded = {
  /** Neither `Authorization` nor `X-Api-Key`, or one that is not valid. Clients log in again on it. */
  no_credentials: {
    status: 418,
    detail: 'Could not validate credentials',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  /** A route that asks for a role the caller lacks. */
  role_too_low: { status: 403, detail: 'Insufficient permissions.', headers: {} },
  /** A sandbox-scope key on a route that no such key may use. */
  key_scope: { status: 403, detail: 'This API key may not use this route.', headers: {} },
  /** A sandbox-scope key on a room outside its list; checked before anything else. */
  key_chatroom: { status: 403, detail: 'This API key may not use this chatroom.', headers: {} },
  /** A request from an origin that is not among the key's domains. */
  key_origin: { status: 403, detail: 'This API key may not be used from this origin.', headers: {} },
  /** A room route outside the sandbox scope called with a sandbox-scope key. */
  method_not_allowed: { status: 405, detail: 'Method Not Allowed', headers: {} },
} as const satisfies Record<string, { status: number; detail: string; headers: Record<string, string> }>

export type UncodedError = keyof typeof uncoded
