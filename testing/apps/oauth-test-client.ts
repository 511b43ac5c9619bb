import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client'
import { redirectUri } from './steps/oauth-steps.ts'

/** State that a client of the SDK keeps. Its person is at the page that it opens. */
export class OAuthTestClient implements OAuthClientProvider {
  readonly redirectUrl = redirectUri
  readonly clientMetadata = { redirect_uris: [redirectUri], client_name: 'Test of the SDK' }
  /** Address of the document that describes it. */
  readonly clientMetadataUrl?: string
  registrations = 0
  opened: URL | undefined
  kept: OAuthTokens | undefined
  #client: OAuthClientInformationMixed | undefined
  #verifier = ''
  #discovery: OAuthDiscoveryState | undefined

  constructor({ clientMetadataUrl }: { clientMetadataUrl?: string } = {}) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }

  state = () => 'state of the client'
  clientInformation = () => this.#client
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.registrations += 1
    this.#client = client
  }
  tokens = () => this.kept
  saveTokens = (tokens: OAuthTokens) => {
    this.kept = tokens
  }
  codeVerifier = () => this.#verifier
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  discoveryState = () => this.#discovery
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.#discovery = state
  }
  invalidateCredentials = () => {
    this.kept = undefined
  }
  redirectToAuthorization = (url: URL) => {
    this.opened = url
  }
}
