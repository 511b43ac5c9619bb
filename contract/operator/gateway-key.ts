/** A key with which a chat pipeline posts messages on behalf of the people of a company, without its text. */
export interface GatewayKey {
  id: string
  company_id: string
  name: string
  created_at: string
  revoked_at: string | null
  last_used_at: string | null
}

export interface GatewayKeyList {
  /** Oldest first, revoked ones included. */
  items: GatewayKey[]
}
