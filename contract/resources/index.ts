import { ApiKey, ApiKeyCreated, ApiKeyCreateRequest, ApiKeyList } from './api-key.ts'
import {
  Binding,
  BindingAcceptVersionRequest,
  BindingCreateRequest,
  BindingList,
  BindingRevokeRequest,
} from './binding.ts'
import { BuildAttempt, BuildAttemptCreateRequest, BuildAttemptList } from './build-attempt.ts'
import { BuildDetails, BuildStageRecord, FailedInstruction } from './build-details.ts'
import {
  Chatroom,
  ChatroomCreateRequest,
  ChatroomList,
  ChatroomUpdateRequest,
  OwnChatroom,
  OwnChatroomList,
} from './chatroom.ts'
import { ChatroomJobs, ChatroomJobsUpdate, JobChatroom, JobChatroomList } from './chatroom-jobs.ts'
import { Company } from './company.ts'
import { CompanySettings, CompanySettingsUpdate, RuntimePricing } from './company-settings.ts'
import {
  ContextObject,
  ContextObjectList,
  ContextUploadComplete,
  ContextUploadCompleteRequest,
  ContextUploadInit,
  ContextUploadInitRequest,
  ContextUploadPut,
  ContextUploadSession,
} from './context-upload.ts'
import { Department, DepartmentCreateRequest, DepartmentList, DepartmentUpdateRequest } from './department.ts'
import { Egress, EgressAllowList, EgressRequest } from './egress.ts'
import {
  Environment,
  EnvironmentCreateRequest,
  EnvironmentList,
  EnvironmentUpdateRequest,
} from './environment.ts'
import {
  EnvironmentVersion,
  EnvironmentVersionCreateRequest,
  EnvironmentVersionList,
} from './environment-version.ts'
import { GrantedJob, GrantedJobEnableRequest, GrantedJobList } from './granted-job.ts'
import { InputPreview, InputPreviewRequest } from './input-preview.ts'
import { Me } from './me.ts'
import { Membership, MembershipList, MembershipPutRequest } from './membership.ts'
import { Menu, MenuItem } from './menu.ts'
import { NetworkLog, RefusedConnection } from './network-log.ts'
import { OutputPolicy } from './output-policy.ts'
import { Profile, ProfileSet } from './profile.ts'
import { Envelope, ImageSignature, ImageSignatureList, SigningKey, SigningKeyList } from './provenance.ts'
import { PublicKey } from './public-key.ts'
import { ArtifactPublicLink, PublicLink } from './public-link.ts'
import { QuickRun, QuickRunRequest } from './quick-run.ts'
import { Region, RegionSet } from './region.ts'
import { ManualRunSubmitRequest, RunDetail, RunList, RunRetryRequest } from './run.ts'
import { ArtifactDownloadCapability, RunArtifact, RunArtifactList } from './run-artifact.ts'
import { RunContent } from './run-content.ts'
import { RunUsage } from './run-usage.ts'
import { RuntimeContract } from './runtime-contract.ts'
import { ScanReport } from './scan-report.ts'
import { SecretSlotStatus } from './secret-slot.ts'
import {
  ScanFinding,
  SecurityException,
  SecurityExceptionCreateRequest,
  SecurityExceptionList,
  SecurityFinding,
  SecurityFindingList,
} from './security-finding.ts'
import { ShareCreateRequest, ShareGrant, ShareGrantList, ShareRevokeRequest } from './share.ts'
import { StorageUse } from './storage-use.ts'
import { Task, TaskCreateRequest, TaskList, TaskUpdateRequest } from './task.ts'
import { ItemCount, TaskRunHistory, TaskRunHistoryItem } from './task-history.ts'
import { BundleUpload, ScriptUpload } from './task-upload.ts'
import {
  TaskVersion,
  TaskVersionCreateRequest,
  TaskVersionList,
  TaskVersionUpdateRequest,
} from './task-version.ts'
import { Token, TokenRequest } from './token.ts'
import { User, UserCreateRequest, UserList, UserUpdateRequest } from './user.ts'
import { VersionBuildCache, VersionBuildCacheRequest } from './version-build-cache.ts'
import { VersionIsolation, VersionIsolationRequest } from './version-isolation.ts'
import { VisibleRun, VisibleRunList } from './visible-run.ts'

/** Schemas by the names under which the OpenAPI document shows them. */
export const namedSchemas = {
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
  BuildStageRecord,
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
  RunUsage,
  StorageUse,
  RunDetail,
  RunList,
  RunRetryRequest,
  RuntimeContract,
  RuntimePricing,
  ScanFinding,
  ScanReport,
  ScriptUpload,
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
}
