import { belowIssuer } from '../addresses/below-issuer.ts'
import { absolutePath, integer, issuer, type Settings, text, url } from './setting.ts'

/** Login tokens and their issuers. */
export interface LoginConfig {
  accessTokenSeconds: number
  /** `iss` of a further issuer of login tokens; absent: only the service's own tokens are accepted. */
  jwtIssuer: string | undefined
  jwtJwksUrl: string | undefined
  jwtAudience: string
  /** Required in `aud` of the tokens that agents get from that issuer; absent: they log in here. */
  jwtMcpAudience: string | undefined
  jwtLoginClaim: string
  /** With which people sign in to the console at that issuer; absent: with a password alone. */
  oidcClientId: string | undefined
  oidcClientSecretFile: string | undefined
  oidcName: string
}

export const loginSettings: Settings<LoginConfig> = {
  accessTokenSeconds: {
    env: 'SANDBOX_ACCESS_TOKEN_SECONDS',
    description: 'life of a login token',
    fallback: () => 8 * 3600,
    ...integer(60, 30 * 86_400),
  },
  jwtIssuer: {
    env: 'SANDBOX_JWT_ISSUER',
    description: 'a further issuer of login tokens, an identity provider: its `iss`, to the character',
    fallback: () => undefined,
    ...issuer,
  },
  jwtJwksUrl: {
    env: 'SANDBOX_JWT_JWKS_URL',
    description: 'where the identity provider publishes its keys; default ISSUER/.well-known/jwks.json',
    fallback: (read) => read.jwtIssuer && belowIssuer(read.jwtIssuer, '/.well-known/jwks.json'),
    ...url,
  },
  jwtAudience: {
    env: 'SANDBOX_JWT_AUDIENCE',
    description: 'required value among `aud` of its tokens',
    fallback: () => 'sandbox-jobs',
    ...text(/^\S{1,256}$/, 'a word'),
  },
  jwtMcpAudience: {
    env: 'SANDBOX_JWT_MCP_AUDIENCE',
    description:
      'sends MCP clients to the identity provider to log in: required value among `aud` of the tokens that it issues to them; they may contain no SANDBOX_JWT_AUDIENCE',
    fallback: () => undefined,
    ...text(/^\S{1,256}$/, 'a word'),
  },
  jwtLoginClaim: {
    env: 'SANDBOX_JWT_LOGIN_CLAIM',
    description: 'claim of its tokens with the login name of a user',
    fallback: () => 'sub',
    ...text(/^[A-Za-z0-9_.:/-]{1,128}$/, 'the name of a claim'),
  },
  oidcClientId: {
    env: 'SANDBOX_OIDC_CLIENT_ID',
    description:
      'lets people sign in to the console at the identity provider (OpenID Connect): the client that it knows this service as',
    fallback: () => undefined,
    ...text(/^[\x21-\x7e]{1,256}$/, 'a client id'),
  },
  oidcClientSecretFile: {
    env: 'SANDBOX_OIDC_CLIENT_SECRET_FILE',
    description: "file with the secret of that client, readable by the API's user; default: a public client",
    fallback: () => undefined,
    ...absolutePath,
  },
  oidcName: {
    env: 'SANDBOX_OIDC_NAME',
    description: 'name of the identity provider on the sign-in page',
    fallback: (read) => (read.jwtIssuer === undefined ? '' : new URL(read.jwtIssuer).hostname),
    ...text(/^[^\p{Cc}\p{Cf}]{1,64}$/u, 'at most 64 characters'),
  },
}
