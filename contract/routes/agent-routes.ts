import { Type } from 'typebox'
import { about } from '../about.ts'
import { ChatroomId, SocialClientId } from '../identifiers.ts'
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
const ChatroomParams = Strict({ cid: ChatroomId })
const TurnHeaders = Type.Object({
  'X-Turn-Context': about(
    'The `turn_context` of postMessage. It stands for the person, in the place of a login.',
    Type.String(),
    'eyJhbGciOiJFZERTQSJ9.eyJwdXJwb3NlIjoidHVybiJ9.c2lnbmF0dXJl',
  ),
})
const GatewayHeaders = Type.Object({
  'X-Gateway-Key': about(
    'Key of a chat pipeline, in the place of a login.',
    Type.Optional(Type.String()),
    'gwk_4f1c2a90d7b84e6fb3a15c8e2d907f46',
  ),
  'X-On-Behalf-Of': about(
    'Whom the pipeline posts for: `user`, `line`, `messenger` or `whatsapp`, a colon, and the identifier. Only with `X-Gateway-Key`.',
    Type.Optional(Type.String()),
    'line:U4af4980629',
  ),
})
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
    description: 'The answer has the `turn_context` with which an agent acts in this turn, for 10 minutes.',
    params: ChatroomParams,
    requestHeaders: GatewayHeaders,
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
    description:
      'All five tools, or none if the room has switched sandbox jobs off. Their schemas are ready for a model.',
    requestHeaders: TurnHeaders,
    response: AgentToolList,
    errors: [],
  }),
  callAgentTool: route({
    action: 'agent.use_tools',
    tag: 'Agents',
    method: 'POST',
    path: `${tools}/{tool}`,
    summary: 'Call a tool in the turn of X-Turn-Context; refusals are results with status "error"',
    description:
      'The body has the parameters of the tool, as its `input_schema` says. A refusal is a result with `status` `error`, which the model can read.',
    params: Strict({ tool: about('Name of the tool.', Identifier, 'sandbox_job_menu') }),
    requestHeaders: TurnHeaders,
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
    description: 'People of messaging channels who take part in the room.',
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
    description: 'A gateway may then post messages for this person.',
    params: ChatroomParams,
    body: SocialMediaClientCreateRequest,
    response: SocialMediaClient,
    errors: ['insufficient_permissions', 'not_found', 'already_exists', 'storage_quota_exceeded'],
  }),
  deleteSocialMediaClient: route({
    ...directory,
    method: 'DELETE',
    path: `${chatroom}/clients/{client}`,
    summary: 'Remove an external person from a chatroom',
    description: 'A gateway can no longer post messages for this person in the room.',
    params: Strict({ cid: ChatroomId, client: SocialClientId }),
    response: SocialMediaClient,
    errors: ['insufficient_permissions', 'not_found'],
  }),
}
