export {
  MessagePostRequest,
  PostedMessage,
  RoomMessage,
  RoomMessageList,
  RoomNotifications,
} from './message.ts'
export { Proposal, ProposalList } from './proposal.ts'
export {
  SocialMediaClient,
  SocialMediaClientCreateRequest,
  SocialMediaClientList,
} from './social-media-client.ts'
export { AgentTool, AgentToolList, AgentToolParameters, AgentToolResult, ToolAnnotations } from './tool.ts'
