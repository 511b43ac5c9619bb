import { ApiKey, ApiKeyCreated, ApiKeyCreateRequest, ApiKeyList } from './access/api-key.ts'
import { Me } from './access/me.ts'
import { PublicKey } from './access/public-key.ts'
import { Token, TokenRequest } from './access/token.ts'
import {
  MessagePostRequest,
  PostedMessage,
  RoomMessage,
  RoomMessageList,
  RoomNotifications,
} from './agents/message.ts'
import { Proposal, ProposalList } from './agents/proposal.ts'
import {
  SocialMediaClient,
  SocialMediaClientCreateRequest,
  SocialMediaClientList,
} from './agents/social-media-client.ts'
import {
  AgentTool,
  AgentToolList,
  AgentToolParameters,
  AgentToolResult,
  ToolAnnotations,
} from './agents/tool.ts'
import { BaseImage, BaseImageList } from './builds/base-image.ts'
import { BuildAttempt, BuildAttemptCreateRequest, BuildAttemptList } from './builds/build-attempt.ts'
import { BuildDetails, BuildStageRecord, FailedInstruction } from './builds/build-details.ts'
import { BuildNetwork, ReachedHost } from './builds/build-network.ts'
import {
  Envelope,
  ImageSignature,
  ImageSignatureList,
  SigningKey,
  SigningKeyList,
} from './builds/provenance.ts'
import { ScanReport } from './builds/scan-report.ts'
import {
  ScanFinding,
  SecurityException,
  SecurityExceptionCreateRequest,
  SecurityExceptionList,
  SecurityFinding,
  SecurityFindingList,
} from './builds/security-finding.ts'
import { AuditEntry, AuditEntryList, AuditHead } from './companies/audit-entry.ts'
import {
  Chatroom,
  ChatroomCreateRequest,
  ChatroomList,
  ChatroomUpdateRequest,
  OwnChatroom,
  OwnChatroomList,
} from './companies/chatroom.ts'
import { Company } from './companies/company.ts'
import { CompanySettings, CompanySettingsUpdate, RuntimePricing } from './companies/company-settings.ts'
import {
  Department,
  DepartmentCreateRequest,
  DepartmentList,
  DepartmentUpdateRequest,
} from './companies/department.ts'
import { Membership, MembershipList, MembershipPutRequest } from './companies/membership.ts'
import { StorageUse } from './companies/storage-use.ts'
import { UsageItem, UsageReport } from './companies/usage-report.ts'
import { User, UserCreateRequest, UserList, UserUpdateRequest } from './companies/user.ts'
import {
  Door,
  DoorCreateRequest,
  DoorList,
  DoorRuntime,
  DoorRuntimeRequest,
  DoorWithKey,
} from './doors/door.ts'
import {
  ContextObject,
  ContextObjectList,
  ContextUploadComplete,
  ContextUploadCompleteRequest,
  ContextUploadInit,
  ContextUploadInitRequest,
  ContextUploadPut,
  ContextUploadSession,
} from './environments/context-upload.ts'
import { Egress, EgressAllowList, EgressRequest } from './environments/egress.ts'
import {
  Environment,
  EnvironmentCreateRequest,
  EnvironmentList,
  EnvironmentUpdateRequest,
} from './environments/environment.ts'
import {
  EnvironmentVersion,
  EnvironmentVersionCreateRequest,
  EnvironmentVersionList,
} from './environments/environment-version.ts'
import { KeptVersion, KeptVersionList } from './environments/kept-version.ts'
import { Profile, ProfileSet } from './environments/profile.ts'
import { Region, RegionSet } from './environments/region.ts'
import { RuntimeContract } from './environments/runtime-contract.ts'
import { VersionBuildCache, VersionBuildCacheRequest } from './environments/version-build-cache.ts'
import { VersionIsolation, VersionIsolationRequest } from './environments/version-isolation.ts'
import { MailPreferences, MailPreferencesUpdateRequest } from './notifications/mail-preferences.ts'
import { Notification, NotificationList } from './notifications/notification.ts'
import {
  Webhook,
  WebhookCreateRequest,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookUpdateRequest,
  WebhookWithSecret,
} from './notifications/webhook.ts'
import {
  ExtendedRun,
  ExtendedRunList,
  ExtendedSubmitRequest,
  RunFile,
  RunFileRequest,
  RunMetadata,
} from './runs/extended-run.ts'
import { InputFile, InputFileList } from './runs/input-file.ts'
import { BuildLogEvent, RunLogEvent } from './runs/log-event.ts'
import { NetworkLog, RefusedConnection } from './runs/network-log.ts'
import { OutputPolicy } from './runs/output-policy.ts'
import { ArtifactPublicLink, PublicLink } from './runs/public-link.ts'
import { QuickRun, QuickRunRequest, SessionQuickRunRequest } from './runs/quick-run.ts'
import { ManualRunSubmitRequest, RunDetail, RunList, RunRetryRequest } from './runs/run.ts'
import { ArtifactDownloadCapability, RunArtifact, RunArtifactList } from './runs/run-artifact.ts'
import { RunContent } from './runs/run-content.ts'
import { RunRemark, RunRemarks } from './runs/run-remark.ts'
import { InlineOutput, RunAndWaitRequest, RunResult } from './runs/run-result.ts'
import { RunUsage } from './runs/run-usage.ts'
import { RunLink, RunLinkList, SignedLinkCreateRequest } from './runs/signed-link.ts'
import { BuildStateEvent, RunStateEvent } from './runs/state-event.ts'
import { VisibleRun, VisibleRunList } from './runs/visible-run.ts'
import {
  SecretApproval,
  SecretApprovalCreateRequest,
  SecretApprovalList,
  SecretApprovalRevokeRequest,
} from './secrets/secret-approval.ts'
import {
  EncryptedValue,
  SecretBinding,
  SecretBindingList,
  SecretOperation,
  SecretRevokeRequest,
  SecretWriteRequest,
} from './secrets/secret-binding.ts'
import { Session, SessionCreateRequest, SessionList } from './sessions/session.ts'
import {
  SessionFile,
  SessionFileList,
  SessionFolderRequest,
  SessionMoveRequest,
} from './sessions/session-file.ts'
import {
  CustomTable,
  CustomTableCreateRequest,
  CustomTableList,
  CustomTableUpdateRequest,
  TableFieldsAddRequest,
} from './tables/custom-table.ts'
import { CommandOutputRequest, WritebackRequest, WritebackResult } from './tables/output-callback.ts'
import {
  CommandExecuteRequest,
  CommandExecution,
  TableCommand,
  TableCommandCreateRequest,
  TableCommandList,
  TableCommandUpdateRequest,
} from './tables/table-command.ts'
import { TableField, TableFieldRequest } from './tables/table-field.ts'
import {
  TableRow,
  TableRowCreateRequest,
  TableRowDeleted,
  TableRowList,
  TableRowUpdateRequest,
} from './tables/table-row.ts'
import {
  TableTrigger,
  TableTriggerCreateRequest,
  TableTriggerList,
  TableTriggerUpdateRequest,
  TriggerEvent,
  TriggerEventList,
} from './tables/table-trigger.ts'
import {
  Binding,
  BindingAcceptVersionRequest,
  BindingCreateRequest,
  BindingList,
  BindingRevokeRequest,
} from './tasks/binding.ts'
import { ChatroomJobs, ChatroomJobsUpdate, JobChatroom, JobChatroomList } from './tasks/chatroom-jobs.ts'
import { GrantedJob, GrantedJobEnableRequest, GrantedJobList } from './tasks/granted-job.ts'
import { InputPreview, InputPreviewRequest } from './tasks/input-preview.ts'
import { Menu, MenuItem } from './tasks/menu.ts'
import { SecretSlotStatus } from './tasks/secret-slot.ts'
import { ShareCreateRequest, ShareGrant, ShareGrantList, ShareRevokeRequest } from './tasks/share.ts'
import { Task, TaskCreateRequest, TaskList, TaskUpdateRequest } from './tasks/task.ts'
import { ItemCount, TaskRunHistory, TaskRunHistoryItem } from './tasks/task-history.ts'
import { BundleUpload, ScriptUpload } from './tasks/task-upload.ts'
import {
  TaskVersion,
  TaskVersionCreateRequest,
  TaskVersionList,
  TaskVersionUpdateRequest,
} from './tasks/task-version.ts'

/** Schemas by their names in the OpenAPI document. */
export const namedSchemas = {
  BaseImage,
  BaseImageList,
  KeptVersion,
  KeptVersionList,
  ApiKey,
  ApiKeyCreated,
  ApiKeyCreateRequest,
  ApiKeyList,
  ArtifactDownloadCapability,
  ArtifactPublicLink,
  Binding,
  BindingAcceptVersionRequest,
  BindingCreateRequest,
  BindingList,
  BindingRevokeRequest,
  BuildAttempt,
  BuildAttemptCreateRequest,
  BuildAttemptList,
  BuildDetails,
  BuildNetwork,
  ReachedHost,
  BuildLogEvent,
  BuildStageRecord,
  BuildStateEvent,
  BundleUpload,
  Chatroom,
  ChatroomCreateRequest,
  ChatroomJobs,
  ChatroomJobsUpdate,
  ChatroomList,
  OwnChatroom,
  OwnChatroomList,
  ChatroomUpdateRequest,
  Company,
  CompanySettings,
  CompanySettingsUpdate,
  ContextObject,
  ContextObjectList,
  ContextUploadComplete,
  ContextUploadCompleteRequest,
  ContextUploadInit,
  ContextUploadInitRequest,
  ContextUploadPut,
  ContextUploadSession,
  Department,
  DepartmentCreateRequest,
  DepartmentList,
  DepartmentUpdateRequest,
  Environment,
  EnvironmentCreateRequest,
  EnvironmentList,
  EnvironmentUpdateRequest,
  EnvironmentVersion,
  EnvironmentVersionCreateRequest,
  EnvironmentVersionList,
  FailedInstruction,
  Envelope,
  GrantedJob,
  GrantedJobEnableRequest,
  GrantedJobList,
  ImageSignature,
  ImageSignatureList,
  ItemCount,
  JobChatroom,
  JobChatroomList,
  InputPreview,
  InputPreviewRequest,
  ManualRunSubmitRequest,
  Me,
  Membership,
  MembershipList,
  MembershipPutRequest,
  Menu,
  MenuItem,
  OutputPolicy,
  Profile,
  ProfileSet,
  PublicKey,
  PublicLink,
  QuickRun,
  QuickRunRequest,
  Region,
  RegionSet,
  RunArtifact,
  RunArtifactList,
  RunContent,
  InlineOutput,
  RunAndWaitRequest,
  RunRemark,
  RunRemarks,
  RunResult,
  RunUsage,
  RunLink,
  RunLinkList,
  RunLogEvent,
  RunStateEvent,
  SignedLinkCreateRequest,
  StorageUse,
  RunDetail,
  RunList,
  InputFile,
  InputFileList,
  Session,
  SessionCreateRequest,
  SessionFile,
  SessionFileList,
  SessionFolderRequest,
  SessionList,
  SessionMoveRequest,
  SessionQuickRunRequest,
  ExtendedRun,
  ExtendedRunList,
  ExtendedSubmitRequest,
  RunFile,
  RunFileRequest,
  RunMetadata,
  RunRetryRequest,
  RuntimeContract,
  RuntimePricing,
  ScanFinding,
  ScanReport,
  ScriptUpload,
  EncryptedValue,
  SecretApproval,
  SecretApprovalCreateRequest,
  SecretApprovalList,
  SecretApprovalRevokeRequest,
  SecretBinding,
  SecretBindingList,
  SecretOperation,
  SecretRevokeRequest,
  SecretWriteRequest,
  SecretSlotStatus,
  SecurityException,
  SecurityExceptionCreateRequest,
  SecurityExceptionList,
  SecurityFinding,
  SecurityFindingList,
  ShareCreateRequest,
  ShareGrant,
  ShareGrantList,
  ShareRevokeRequest,
  SigningKey,
  SigningKeyList,
  Task,
  TaskCreateRequest,
  TaskList,
  TaskRunHistory,
  TaskRunHistoryItem,
  TaskUpdateRequest,
  TaskVersion,
  TaskVersionCreateRequest,
  TaskVersionList,
  TaskVersionUpdateRequest,
  Token,
  TokenRequest,
  User,
  UserCreateRequest,
  UserList,
  UserUpdateRequest,
  VisibleRun,
  VisibleRunList,
  VersionBuildCache,
  VersionBuildCacheRequest,
  VersionIsolation,
  VersionIsolationRequest,
  Egress,
  EgressAllowList,
  EgressRequest,
  NetworkLog,
  RefusedConnection,
  AgentTool,
  AgentToolList,
  AgentToolParameters,
  AgentToolResult,
  MessagePostRequest,
  PostedMessage,
  SocialMediaClient,
  SocialMediaClientCreateRequest,
  SocialMediaClientList,
  Proposal,
  ProposalList,
  ToolAnnotations,
  CustomTable,
  CustomTableCreateRequest,
  CustomTableList,
  CustomTableUpdateRequest,
  TableField,
  TableFieldRequest,
  TableFieldsAddRequest,
  TableRow,
  TableRowCreateRequest,
  TableRowDeleted,
  TableRowList,
  TableRowUpdateRequest,
  TableCommand,
  TableCommandCreateRequest,
  TableCommandList,
  TableCommandUpdateRequest,
  TableTrigger,
  TableTriggerCreateRequest,
  TableTriggerList,
  TableTriggerUpdateRequest,
  TriggerEvent,
  TriggerEventList,
  CommandExecuteRequest,
  CommandExecution,
  CommandOutputRequest,
  WritebackRequest,
  WritebackResult,
  Notification,
  NotificationList,
  MailPreferences,
  MailPreferencesUpdateRequest,
  RoomMessage,
  RoomMessageList,
  RoomNotifications,
  Door,
  DoorCreateRequest,
  DoorList,
  DoorRuntime,
  DoorRuntimeRequest,
  DoorWithKey,
  Webhook,
  WebhookCreateRequest,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookUpdateRequest,
  WebhookWithSecret,
  UsageItem,
  UsageReport,
  AuditEntry,
  AuditEntryList,
  AuditHead,
}
