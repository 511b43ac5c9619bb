/** Error codes of OAuth 2.0 that this service answers with (RFC 6749, 7591, 8707). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'temporarily_unavailable'

/** An expected refusal. The description is the service's own text: it quotes nothing that a client sent. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, description: string) {
    super(description)
    this.name = 'OAuthError'
    this.code = code
  }
}
