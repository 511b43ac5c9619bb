/** Errors whose `detail` is plain text, produced before a route is called (contract part 2, "Errors"). */
export const uncoded = {
  /** Neither a valid `Authorization` nor a valid `X-Api-Key`. Clients react by logging in again. */
  no_credentials: {
    status: 418,
    detail: 'Could not validate credentials',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  /** The route requires a role that the caller does not have. */
  role_too_low: { status: 403, detail: 'Insufficient permissions.', headers: {} },
  /** A sandbox-scope key on a route that such keys may not use. */
  key_scope: { status: 403, detail: 'This API key may not use this route.', headers: {} },
  /** A sandbox-scope key on a room outside its list; checked before everything else. */
  key_chatroom: { status: 403, detail: 'This API key may not use this chatroom.', headers: {} },
  /** A request from an origin that is not among the key's domains. */
  key_origin: { status: 403, detail: 'This API key may not be used from this origin.', headers: {} },
  /** A room route outside the sandbox scope called with a sandbox-scope key. */
  method_not_allowed: { status: 405, detail: 'Method Not Allowed', headers: {} },
} as const satisfies Record<string, { status: number; detail: string; headers: Record<string, string> }>

export type UncodedError = keyof typeof uncoded
