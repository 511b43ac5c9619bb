/**
 * The address of what an issuer publishes under a well-known path. A slash at the end of the issuer is no part of it
 * (OpenID Connect Discovery 1.0, section 4).
 */
export const belowIssuer = (issuer: string, path: `/${string}`): string =>
  `${issuer.replace(/\/$/, '')}${path}`
