export {
  Binding,
  BindingAcceptVersionRequest,
  BindingCreateRequest,
  BindingList,
  BindingRevokeRequest,
} from './binding.ts'
export { ChatroomJobs, ChatroomJobsUpdate, JobChatroom, JobChatroomList } from './chatroom-jobs.ts'
export { GrantedJob, GrantedJobEnableRequest, GrantedJobList } from './granted-job.ts'
export { InputPreview, InputPreviewRequest } from './input-preview.ts'
export { Menu, MenuItem } from './menu.ts'
export { SecretSlotStatus } from './secret-slot.ts'
export { ShareCreateRequest, ShareGrant, ShareGrantList, ShareRevokeRequest } from './share.ts'
export { Task, TaskCreateRequest, TaskList, TaskUpdateRequest } from './task.ts'
export { ItemCount, TaskRunHistory, TaskRunHistoryItem } from './task-history.ts'
export { TaskOverview, TaskOverviewList } from './task-overview.ts'
export { BundleUpload, ScriptUpload } from './task-upload.ts'
export {
  TaskVersion,
  TaskVersionCreateRequest,
  TaskVersionList,
  TaskVersionUpdateRequest,
} from './task-version.ts'
