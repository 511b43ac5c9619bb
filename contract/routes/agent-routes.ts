import { Identifier } from '../ids.ts'
import { catalogPageSizeDefault, runSubmitBodyMaxBytes } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import { MessagePostRequest, PostedMessage } from '../resources/agents/message.ts'
import {
  SocialMediaClient,
  SocialMediaClientCreateRequest,
  SocialMediaClientList,
} from '../resources/agents/social-media-client.ts'
import { AgentToolList, AgentToolParameters, AgentToolResult } from '../resources/agents/tool.ts'
import { Strict } from '../schema.ts'
import { platformPrefix } from './prefixes.ts'
import { route } from './route.ts'

const chatroom = `${platformPrefix}/chatrooms/{cid}` as const
const tools = '/private/agent/tools'
const ChatroomParams = Strict({ cid: Identifier })
const directory = { action: 'directory.manage', tag: 'Platform' } as const

/** Human turns and the tools of agents (contract part 2, "Agent tools"; part 3, D2). */
export const agentRoutes = {
  postMessage: route({
    action: 'message.post',
    tag: 'Agents',
    method: 'POST',
    path: `${chatroom}/messages`,
    summary:
      'Post a message, which starts a human turn; a gateway posts with X-Gateway-Key for whom X-On-Behalf-Of names',
    params: ChatroomParams,
    body: MessagePostRequest,
    response: PostedMessage,
    errors: ['not_found', 'storage_quota_exceeded'],
  }),
  listAgentTools: route({
    action: 'agent.use_tools',
    tag: 'Agents',
    method: 'GET',
    path: tools,
    summary: 'List the tools that the room of the turn in X-Turn-Context loads',
    response: AgentToolList,
    errors: [],
  }),
  callAgentTool: route({
    action: 'agent.use_tools',
    tag: 'Agents',
    method: 'POST',
    path: `${tools}/{tool}`,
    summary: 'Call a tool in the turn of X-Turn-Context; refusals are results with status "error"',
    params: Strict({ tool: Identifier }),
    body: AgentToolParameters,
    bodyOptional: true,
    maxBodyBytes: runSubmitBodyMaxBytes,
    response: AgentToolResult,
    errors: ['not_found', 'input_staging_unavailable'],
  }),
  listSocialMediaClients: route({
    ...directory,
    method: 'GET',
    path: `${chatroom}/clients`,
    summary: 'List the external people of a chatroom',
    params: ChatroomParams,
    query: listQuery(catalogPageSizeDefault),
    response: SocialMediaClientList,
    errors: ['insufficient_permissions', 'not_found'],
  }),
  createSocialMediaClient: route({
    ...directory,
    method: 'POST',
    path: `${chatroom}/clients`,
    summary: 'Add an external person to a chatroom, by channel and client id',
    params: ChatroomParams,
    body: SocialMediaClientCreateRequest,
    response: SocialMediaClient,
    errors: ['insufficient_permissions', 'not_found', 'already_exists'],
  }),
  deleteSocialMediaClient: route({
    ...directory,
    method: 'DELETE',
    path: `${chatroom}/clients/{client}`,
    summary: 'Remove an external person from a chatroom',
    params: Strict({ cid: Identifier, client: Identifier }),
    response: SocialMediaClient,
    errors: ['insufficient_permissions', 'not_found'],
  }),
}
