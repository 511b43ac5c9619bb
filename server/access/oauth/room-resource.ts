/*
 * The resource that a token is for (RFC 8707): the MCP address of one room. A token for one room is refused in another.
 */

/** Path of the MCP address of a room. */
export const roomPath = (roomId: string): string => `/mcp/chatrooms/${roomId}`

export const roomResource = (baseUrl: string, roomId: string): string => `${baseUrl}${roomPath(roomId)}`

/** The room of a resource of this deployment. */
export function roomOfResource(baseUrl: string, resource: string): string | undefined {
  const prefix = roomResource(baseUrl, '')
  const roomId = resource.startsWith(prefix) ? resource.slice(prefix.length) : ''
  return /^[A-Za-z0-9_.-]{1,36}$/.test(roomId) ? roomId : undefined
}

/** The permission of a token: the tools. There is nothing else to ask for. */
export const toolScope = 'jobs'
