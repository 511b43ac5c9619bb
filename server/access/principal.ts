import type { Downloader } from '../storage/downloads/download-slots.ts'

/** The one who acts: resolved from credentials once per request, never from a parameter. */
export interface Principal {
  companyId: string
  principalType: 'user' | 'social_media_client'
  principalId: string
  authMethod: 'jwt' | 'api_key'
  /** 1 member, 2 department manager, 3 company manager, 4 company administrator. */
  role: number
  managedDepartmentIds: string[]
  /** Of a person who logged in with a password: the `credential_generation` that ends with it. */
  credentialGeneration?: number
  /** Of a person who is signed in with a browser. */
  signInId?: string
  apiKey?: { id: string; scope: 'full' | 'sandbox'; allowedChatroomIds: string[] }
  /** Set where an agent acts in a turn of the principal. */
  turn?: HumanTurn
  /** Of a social media client: the one room that it is in. */
  clientRoomId?: string
  /** Set where a program acts for the principal with a token of its own: it confirms nothing. */
  isAgent?: boolean
  /** Set where a chat pipeline posts on behalf of the principal. */
  gatewayKeyId?: string
}

/** The principal of work that lasts: read again from time to time. Throws for one who may not act any more. */
export type CurrentPrincipal = () => Promise<Principal>

/** A message of the principal in a room, after which an agent acts (contract part 3, D2). */
export interface HumanTurn {
  roomId: string
  messageId: string
  sequence: number
  /** The message was posted with an API key of the person, which an agent may hold: it confirms nothing. */
  byKey?: boolean
}

/** The owner of the slots that a download takes: the person or key, and the company. */
export const downloaderOf = ({ apiKey, principalId, companyId }: Principal): Downloader => ({
  linkId: apiKey?.id ?? principalId,
  companyId,
})
