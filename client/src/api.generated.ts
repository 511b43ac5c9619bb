// Made from contract/routes by `npm run openapi`; do not edit.
import type { CallOptions, UploadBody } from './call-options.ts'

export interface ApiKey {
  /** Identifier of the API key. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** User whose rights the key has. */
  owner_user_id: string
  /** Name of the key, unique in the company. */
  name: string
  /** `full`: what its owner may do. `sandbox`: submit, read and cancel its own runs in the allowed rooms. */
  scope: "full" | "sandbox"
  /** Rooms that a `sandbox` key may use; empty for a `full` key. */
  allowed_chatroom_ids: string[]
  /** Origins that browsers may call from; `*` for any. */
  domains: string[]
  /** When it was created. */
  created_at: string
  /** When it stops working; null: never. */
  expires_at: string | null
  /** When it was revoked; null if it was not. */
  revoked_at: string | null
  /** When it was last used; null if it never was. */
  last_used_at: string | null
}

export interface ApiKeyCreateRequest {
  /** Name of the key, unique in the company. */
  name: string
  /** `full`: what its owner may do. `sandbox`: submit, read and cancel its own runs in the allowed rooms. */
  scope: "full" | "sandbox"
  /** User whose rights the key has; by default the caller. */
  owner_user_id?: string | null
  /** Rooms that a `sandbox` key may use, at least one; left out for a `full` key. */
  allowed_chatroom_ids?: string[]
  /** Origins that browsers may call from; by default `*`, any. */
  domains?: string[]
  /** When it stops working; null or left out: never. */
  expires_at?: string | null
}

export interface ApiKeyCreated {
  /** Identifier of the API key. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** User whose rights the key has. */
  owner_user_id: string
  /** Name of the key, unique in the company. */
  name: string
  /** `full`: what its owner may do. `sandbox`: submit, read and cancel its own runs in the allowed rooms. */
  scope: "full" | "sandbox"
  /** Rooms that a `sandbox` key may use; empty for a `full` key. */
  allowed_chatroom_ids: string[]
  /** Origins that browsers may call from; `*` for any. */
  domains: string[]
  /** When it was created. */
  created_at: string
  /** When it stops working; null: never. */
  expires_at: string | null
  /** When it was revoked; null if it was not. */
  revoked_at: string | null
  /** When it was last used; null if it never was. */
  last_used_at: string | null
  /** The key itself, shown only here. Send it as `X-Api-Key`. */
  api_key: string
}

export interface ApiKeyList {
  /** Items on this page. */
  items: ApiKey[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface Me {
  /** Identifier of the company. */
  company_id: string
  /** Kind of the caller. */
  principal_type: "user" | "social_media_client"
  /** Identifier of the caller, by its kind. */
  principal_id: string
  /** How the caller logged in. */
  auth_method: "jwt" | "api_key"
  /** 0 auditor, 1 member, 2 manager of departments, 3 company manager, 4 company administrator. */
  role: number
  /** Scope of the API key; null for a login. */
  api_key_scope: "full" | "sandbox" | null
  /** Rooms that the API key may use; null if it names none. */
  allowed_chatroom_ids: string[] | null
  /** Departments that the caller manages. */
  managed_department_ids: string[]
  /** Actions that the caller may try; it grants nothing. */
  can: {
    /** Change the settings of the company. */
    manage_company: boolean
    /** Create a task that the company owns. */
    create_company_task: boolean
    /** Create a task that a department owns. */
    create_department_task: boolean
    /** Upload an archive and create environments. */
    upload_environment: boolean
    /** Quick-run scripts in a room. */
    quick_run: boolean
  }
  /** False while the operator has stopped all changes. */
  sandbox_enabled: boolean
  /** Kind of the deployment. */
  deployment: "hosted" | "onprem"
}

export interface OwnCredential {
  /** Identifier of the company. */
  company_id: string
  /** Name of the company. */
  company_name: string
  /** The API key of the request, without its secret; null for a login. */
  api_key: ApiKey | null
}

export interface PublicKey {
  /** SubjectPublicKeyInfo as PEM, RSA of 3072 bits. */
  public_key_pem: string
  /** Padding and hash with which a client wraps its AES key. */
  algorithm: "RSA-OAEP-SHA256"
}

export interface Token {
  /** Signed JWT. Send it as `Authorization: Bearer`. */
  access_token: string
  /** How the token is sent. */
  token_type: "bearer"
  /** Seconds until it expires. */
  expires_in: number
}

export interface TokenRequest {
  /** Login name. */
  username: string
  /** Password. */
  password: string
  /** Grant of OAuth 2.0. */
  grant_type?: "password"
  /** Accepted for OAuth 2.0 clients and ignored. */
  scope?: string
  /** Accepted for OAuth 2.0 clients and ignored. */
  client_id?: string
  /** Accepted for OAuth 2.0 clients and ignored. */
  client_secret?: string
}

export interface AgentTool {
  /** Name of the tool, which is part of its path. */
  name: "sandbox_job_menu" | "sandbox_submit_job" | "sandbox_submitted_jobs" | "sandbox_job_status" | "sandbox_cancel_job"
  /** Purpose of the tool, for the model. */
  description: string
  /** JSON Schema of the parameters. */
  input_schema: Record<string, unknown>
  /** JSON Schema of the result. */
  output_schema: Record<string, unknown>
  /** Hints for clients, as the Model Context Protocol names them. */
  annotations: ToolAnnotations
}

export interface AgentToolList {
  /** Items on this page. */
  items: AgentTool[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export type AgentToolParameters = Record<string, unknown>

export interface AgentToolResult {
  /** Whether the tool did what it was asked to; a refusal is an `error`. */
  status: "ok" | "error"
  /** Code of the refusal; only with `error`. */
  error?: string
  /** The problem, for the model; only with `error`. */
  message?: string
  [field: string]: unknown
}

export interface MessagePostRequest {
  /** Text of the person, at most 16,384 characters. */
  text: string
}

export interface PostedMessage {
  /** Identifier of the message. */
  message_id: string
  /** Number of the message; it rises within the room. */
  sequence: number
  /** Signed token with which an agent acts in this turn, as `X-Turn-Context`. */
  turn_context: string
  /** Until when the turn context is valid: 600 seconds. */
  expires_at: string
}

export interface Proposal {
  /** Identifier of the proposal. */
  id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** Where the proposal is in its life; only `prepared` waits for the person. */
  state: "prepared" | "committing" | "committed" | "superseded" | "cancelled" | "expired" | "failed"
  /** The job that a confirmation starts, from the stored bytes. Hidden characters are spelled out, and a cut is marked. */
  summary: string
  /** Deadline of the run, in seconds from its start. */
  timeout_seconds: number
  /** When it was created. */
  created_at: string
  /** Until when it can be confirmed or rejected. */
  expires_at: string
  /** When it ended; null while it waits. */
  ended_at: string | null
  /** The run that it became, or null. */
  run_id: string | null
}

export interface ProposalList {
  /** Items on this page. */
  items: Proposal[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface RoomMessage {
  /** Identifier of the message. */
  message_id: string
  /** Number of the message; it rises within the room. */
  sequence: number
  /** A person of the company, an external person, or the service. */
  author_type: "user" | "social_media_client" | "system"
  /** The author; null for the service. */
  author_id: string | null
  /** The run whose end the service reports, or null. */
  run_id: string | null
  /** The text as written. */
  text: string
  /** When it was posted. */
  created_at: string
}

export interface RoomMessageList {
  /** Items on this page. */
  items: RoomMessage[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface RoomNotifications {
  /** Whether the service posts a message in the room when a run of it ends. */
  announces_runs: boolean
}

export interface SocialMediaClient {
  /** Identifier of the external person. */
  id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Messaging channel of the person. */
  channel: "line" | "messenger" | "whatsapp"
  /** Identifier of the person on the channel. */
  client_id: string
  /** Name as people see it. */
  display_name: string
  /** When it was created. */
  created_at: string
  /** When the person was removed from the room; null if they were not. */
  removed_at: string | null
}

export interface SocialMediaClientCreateRequest {
  /** Messaging channel of the person. */
  channel: "line" | "messenger" | "whatsapp"
  /** Identifier of the person on the channel. */
  client_id: string
  /** Name as people see it; by default empty. */
  display_name?: string
}

export interface SocialMediaClientList {
  /** Items on this page. */
  items: SocialMediaClient[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface ToolAnnotations {
  /** Name for people. */
  title: string
  /** The tool changes nothing. */
  readOnlyHint: boolean
  /** The tool may change something for good. */
  destructiveHint: boolean
  /** A repeated call has no further effect. */
  idempotentHint: boolean
  /** The tool reaches what is outside of the service. */
  openWorldHint: boolean
}

export interface BaseImage {
  /** Name for `FROM`. */
  name: string
  /** Its tag. */
  tag: string
  /** Digest of its manifest. */
  digest: string
  /** The operator's preset that it was made from; null: from a list of packages. */
  preset: string | null
  /** Code name of its Debian release; null if unknown. */
  debian: string | null
  /** Programming languages in it. */
  languages: {
    /** Name of the language. */
    name: string
    /** Version of its interpreter or compiler. */
    version: string
  }[]
  /** Debian packages that the operator asked for; they need others, which are not listed. */
  packages: string[]
  /** Bytes of its files; null if unknown. */
  byte_size: number | null
  /** When it was made; null if unknown. */
  made_at: string | null
}

export interface BaseImageList {
  /** Base images of the operator, by name. */
  items: BaseImage[]
  /** Registry of base images without a host in their name; null: such names are refused. */
  registry: string | null
  /** Whether base images with another host in their name are pulled from it. */
  other_registries: boolean
}

export interface BuildAttempt {
  /** Identifier of the build. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Identifier of the environment version. */
  environment_version_id: string
  /** Number of the build among those of the version, from 1. */
  attempt_number: number
  /** Where the build is in its life. */
  status: "validation_queued" | "validating" | "build_queued" | "building" | "verifying" | "completed" | "customer_failed" | "platform_failed" | "cancel_requested" | "cancelling" | "cancelled"
  /** Phase of the build; empty if unused. */
  phase: string
  /** Stage of the build; empty if unused. */
  stage_code: string
  /** Code of the failure, such as `context_invalid`; empty without one. */
  error_code: string
  /** Slugs of the rules that failed, joined with `;`; never free text. */
  error_detail: string
  /** How the build ended; empty until then. */
  terminal_class: "" | "completed" | "customer_failed" | "platform_failed" | "cancelled"
  /** Region of the build. */
  build_region: "asia-east1" | "asia-northeast1" | "asia-northeast2" | "asia-south1" | "asia-southeast3" | "asia-east2" | "asia-northeast3" | "asia-southeast1" | "asia-southeast2" | "asia-south2" | "onprem"
  /** Size of the build. */
  build_profile: "standard" | "fast" | "large"
  /** Digest of the archive as uploaded; empty until it was read. */
  raw_upload_digest: string
  /** Digest of the archive's content; empty until it was read. */
  canonical_digest: string
  /** When it was queued. */
  queued_at: string | null
  /** Until when retry-build is accepted; null if it is not. */
  retryable_until: string | null
  /** Bytes of the scan report; 0 if there is none. */
  report_total_bytes: number
  /** Number of the running stage, from 1; 0 while queued and at the end. */
  stage_index: number
  /** Stages that the build has; 0 while queued and at the end. */
  stage_count: number
  /** Since when the stage runs, or the build waits in the queue; after the end, when the build ended. */
  stage_since: string | null
  /** The next step, as a sentence; empty if nothing. */
  next_action: string
}

export interface BuildAttemptCreateRequest {
  /** Region of the build; by default the deployment's own. */
  build_region?: "asia-east1" | "asia-northeast1" | "asia-northeast2" | "asia-south1" | "asia-southeast3" | "asia-east2" | "asia-northeast3" | "asia-southeast1" | "asia-southeast2" | "asia-south2" | "onprem"
  /** Size of the build; by default `standard`. */
  build_profile?: "standard" | "fast" | "large"
}

export interface BuildAttemptList {
  /** Items on this page. */
  items: BuildAttempt[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface BuildDetails {
  /** Identifier of the build. */
  build_id: string
  /** When it was queued. */
  queued_at: string
  /** When it was first started; null while it waits. */
  started_at: string | null
  /** When it ended; null until then. */
  terminal_at: string | null
  /** Stages in their order, up to the last that was started. */
  stages: BuildStageRecord[]
  /** Instruction of the Dockerfile that failed; null if none did. */
  failed_instruction: FailedInstruction | null
  /** Addresses that the steps reached. Null before the builder has ended, for steps without a network, and where no builder ran. */
  network: BuildNetwork | null
}

export interface BuildNetwork {
  /** Bytes that the steps received. */
  ingress_bytes: number
  /** Bytes that the steps sent. */
  egress_bytes: number
  /** In the order of the first connections. */
  reached: ReachedHost[]
  /** Number of further connections that are not listed. */
  more: number
  /** False if the resolver of the service was restarted meanwhile: then connections may be missing. */
  complete: boolean
}

export interface BuildStageRecord {
  /** Stage of the chain. */
  stage: "build_queued" | "context_validator" | "customer_build" | "static_scan" | "smoke" | "sign" | "attest" | "promote" | "final_verify" | "runner_floor" | "regional_readback" | "terminal"
  /** How it ended; null while it runs. `interrupted`: the worker died or a dependency failed. */
  outcome: "completed" | "failed" | "cancelled" | "interrupted" | null
  /** When it was last started. */
  started_at: string
  /** When it ended; null while it runs. */
  ended_at: string | null
  /** Milliseconds that it took; null while it runs. */
  duration_ms: number | null
  /** How often it was started. */
  passes: number
}

export interface Envelope {
  /** Media type of the payload. */
  payloadType: string
  /** Base64 of the in-toto statement with the SLSA provenance of the image. */
  payload: string
  /** Signatures of the payload. */
  signatures: {
    /** Name of the signing key. */
    keyid: string
    /** Base64 of the signature. */
    sig: string
  }[]
}

export interface FailedInstruction {
  /** Its first line in the Dockerfile, from 1. */
  line: number
  /** Number of its stage in the Dockerfile, from 1. */
  stage: number
  /** Name of its stage; null if it has none. */
  stage_name: string | null
  /** Its first characters, on one line. The author wrote them: escape them for display. */
  text: string
}

export interface ImageSignature {
  /** Digest of the image's manifest. */
  subject_digest: string
  /** Name of the signing key. */
  key_id: string
  /** Media type of the payload. */
  media_type: "application/vnd.dev.cosign.simplesigning.v1+json"
  /** Base64 of the signed bytes. */
  payload: string
  /** Base64 of an ECDSA P-256 signature in DER over the sha256 of the signed bytes. */
  signature: string
}

export interface ImageSignatureList {
  /** Signatures of the image. */
  items: ImageSignature[]
}

export interface ReachedHost {
  /** Name that a step had resolved to the address; `mirror:NAME` for a package mirror of the operator; empty if none. */
  name: string
  /** IPv4 or IPv6 address. */
  address: string
  /** Transport protocol. */
  protocol: "tcp" | "udp"
  /** Destination port. */
  port: number
}

export interface ScanFinding {
  /** `vulnerability` of a package, `secret` in a file, or a risky mode of a `file`. */
  kind: "vulnerability" | "secret" | "file"
  /** Rule of the scanner, or the name of the vulnerability. */
  rule: string
  /** Path in the image, or a package as package URL without version. Never content of a file. */
  subject: string
  /** How severe it is. */
  severity: "critical" | "high" | "medium" | "low" | "unknown"
  /** Title for people. */
  title: string
  /** Installed version of the package; empty for other kinds. */
  installed_version: string
  /** First version without the vulnerability; empty if there is none. */
  fixed_version: string
}

export interface ScanReport {
  /** Identifier of the build. */
  build_attempt_id: string
  /** Identifier of the environment version. */
  environment_version_id: string
  /** Digest of the image's uncompressed layer; of two layers their chain digest, as OCI defines it. */
  layer_digest: string
  /** Digest of the list of packages that readSbom returns. */
  sbom_digest: string
  /** Distribution of the image; null if it has none. */
  system: {
    /** `ID` of its os-release. */
    id: string
    /** `VERSION_ID` of its os-release. */
    version: string
    /** `PRETTY_NAME` of its os-release. */
    name: string
  } | null
  /** Files that were read. */
  file_count: number
  /** Bytes that were read. */
  byte_count: number
  /** Packages that were found. */
  package_count: number
  /** A limit was reached, and findings are left out. */
  truncated: boolean
  /** Files that could not be read. */
  unread: {
    /** Path in the image. */
    path: string
    /** Why it could not be read. */
    reason: string
  }[]
  /** The operator's vulnerability database that the packages were compared with; null without one. */
  vulnerability_database: {
    /** Number of the import. */
    revision: number
    /** When it was imported. */
    imported_at: string
  } | null
  /** Findings by severity. */
  finding_counts: {
    /** How many there are. */
    critical: number
    /** How many there are. */
    high: number
    /** How many there are. */
    medium: number
    /** How many there are. */
    low: number
    /** How many there are. */
    unknown: number
  }
  /** The findings, the most severe first. */
  findings: ScanFinding[]
}

export interface SecurityException {
  /** Identifier of the exception. */
  id: string
  /** Identifier of the environment. */
  environment_id: string
  /** Identifier of the finding. */
  finding_id: string
  /** Where the exception is in its life. */
  state: "active" | "revoked" | "expired"
  /** Why the finding was accepted. */
  reason: string
  /** User who accepted the finding. */
  created_by: string
  /** When it was created. */
  created_at: string
  /** When it ends; null: when it is revoked. */
  expires_at: string | null
  /** When it ended; null while it is active. */
  ended_at: string | null
}

export interface SecurityExceptionCreateRequest {
  /** Why the finding is accepted. */
  reason: string
  /** When the exception ends; null or left out: when it is revoked. */
  expires_at?: string | null
}

export interface SecurityExceptionList {
  /** Items on this page. */
  items: SecurityException[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface SecurityFinding {
  /** Identifier of the finding. */
  id: string
  /** Identifier of the environment. */
  environment_id: string
  /** `vulnerability` of a package, `secret` in a file, or a risky mode of a `file`. */
  kind: "vulnerability" | "secret" | "file"
  /** Rule of the scanner, or the name of the vulnerability. */
  rule: string
  /** Path in the image, or a package as package URL without version. Never content of a file. */
  subject: string
  /** How severe it is. */
  severity: "critical" | "high" | "medium" | "low" | "unknown"
  /** Title for people. */
  title: string
  /** Installed version of the package; empty for other kinds. */
  installed_version: string
  /** First version without the vulnerability; empty if there is none. */
  fixed_version: string
  /** Where the finding is in its life. */
  state: "discovered" | "reappeared" | "excepted" | "blocked" | "resolved" | "closed"
  /** First version with the finding. */
  first_version_id: string
  /** Last version with the finding. */
  last_version_id: string
  /** When a scan first found it. */
  first_seen_at: string
  /** When a scan last found it. */
  last_seen_at: string
  /** Since when it has this state. */
  state_changed_at: string
  /** The active exception, or null. */
  exception: SecurityException | null
}

export interface SecurityFindingList {
  /** Items on this page. */
  items: SecurityFinding[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface SigningKey {
  /** The sha256 of the key's SubjectPublicKeyInfo in DER, in hex. */
  key_id: string
  /** Curve and hash of its signatures. */
  algorithm: "ECDSA-P256-SHA256"
  /** SubjectPublicKeyInfo as PEM. */
  public_key_pem: string
  /** True for the key that signs new images; the others only verify. */
  signs: boolean
  /** When it was made. */
  made_at: string
}

export interface SigningKeyList {
  /** All keys that verify images. */
  items: SigningKey[]
}

export interface AuditEntry {
  /** Number in the log of the company, without gaps. */
  sequence: number
  /** When the change was made. */
  at: string
  /** The operation: name of a route or of an operator’s command, `mcp`, `oauth`, or `service` for what the service did by itself. */
  action: string
  /** `user`, `social_media_client`, `run` (a job with the credential of its run), `operator`, `service`, or `anonymous`. */
  actor_type: string
  /** Id of the actor; an account of the machine for operators. */
  actor_id: string
  /** The API key or gateway key that was used. */
  api_key_id: string | null
  /** The message after which an agent acted. */
  turn_id: string | null
  /** `X-Request-Id` of the response. */
  request_id: string | null
  /** Kind of the change. */
  change: "insert" | "update" | "delete" | "state"
  /** Kind of the object. */
  object_type: string
  /** Id of the object; several with slashes between them. */
  object_id: string
  /** Room of the object or of the request. */
  chatroom_id: string | null
  /** Run of the object or of the request. */
  run_id: string | null
  /** Secret slot. */
  slot: string | null
  /** State before a change of state. */
  from_state: string | null
  /** State after a change of state. */
  to_state: string | null
  /** Keyed digest of the object before, in hex. Equal contents of one object have equal digests; a content cannot be guessed from it. */
  digest_before: string | null
  /** The same after the change. */
  digest_after: string | null
  /** Over this entry and the hash before it, in hex. */
  hash: string
}

export interface AuditEntryList {
  /** Items on this page. */
  items: AuditEntry[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface AuditHead {
  /** The company. */
  company_id: string
  /** The last entry that was removed because its time was over. */
  start: {
    /** Number of an entry; 0 before the first. */
    sequence: number
    /** Its hash in hex; empty before the first. */
    hash: string
  }
  /** The newest entry. */
  head: {
    /** Number of an entry; 0 before the first. */
    sequence: number
    /** Its hash in hex; empty before the first. */
    hash: string
  }
  /** The newest head that the service has signed, some seconds after it became the head; null before the first. */
  signed: {
    /** Number of the entry. */
    sequence: number
    /** Its hash in hex. */
    hash: string
    /** When it was signed. */
    signed_at: string
    /** The key, one of listSigningKeys. */
    key_id: string
    /** ECDSA in DER over sha256, as base64. */
    signature: string
  } | null
}

export interface Chatroom {
  /** Identifier of the chatroom. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Identifier of the department. */
  department_id: string
  /** Name of the room. */
  name: string
  /** Rises when the room moves to another department or is deleted; earlier grants then no longer apply. */
  authority_generation: number
  /** When it was created. */
  created_at: string
  /** When it was deleted; null if it was not. */
  deleted_at: string | null
}

export interface ChatroomCreateRequest {
  /** Identifier of the department. */
  department_id: string
  /** Name of the room, unique in the department. */
  name: string
}

export interface ChatroomList {
  /** Items on this page. */
  items: Chatroom[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface ChatroomUpdateRequest {
  /** Another department moves the room. */
  department_id?: string
  /** New name of the room. */
  name?: string
}

export interface Company {
  /** Identifier of the company. */
  id: string
  /** Name of the company. */
  name: string
  /** When it was created. */
  created_at: string
}

export interface CompanySettings {
  /** Days that input, output, log and artifacts of an ended run are kept. */
  run_content_retention_days: number
  /** Days that the image of a version that no task uses is kept. */
  unreferenced_image_retention_days: number
  /** Regions where runs may be placed. It says nothing about builds, storage or logs. */
  allowed_regions: ("asia-east1" | "asia-northeast1" | "asia-northeast2" | "asia-south1" | "asia-southeast3" | "asia-east2" | "asia-northeast3" | "asia-southeast1" | "asia-southeast2" | "asia-south2" | "onprem")[]
  /** Revision of the settings. An update must send the current one. */
  policy_version: number
  /** Identifier of the company. */
  company_id: string
  /** Regions that `allowed_regions` may name. */
  selectable_regions: ("asia-east1" | "asia-northeast1" | "asia-northeast2" | "asia-south1" | "asia-southeast3" | "asia-east2" | "asia-northeast3" | "asia-southeast1" | "asia-southeast2" | "asia-south2" | "onprem")[]
  /** Rates that a run is charged by; null if there is no selectable region. */
  pricing: RuntimePricing | null
  /** Whether runs may reach the internet; the operator decides. */
  runtime_egress_enabled: boolean
  /** Longest timeout of a run, in seconds. */
  timeout_ceiling_seconds: number
  /** Active environments that the company may have. */
  active_environment_limit: number
  /** Environment versions that may be kept ready to run. */
  capacity_retained_version_limit: number
  /** `allowed_regions` governs the placement of runs only. */
  placement_scope: "runtime_execution_only"
  /** Kinds of data that `allowed_regions` does not govern. */
  does_not_govern: ("build" | "validator" | "registry" | "object_storage" | "log" | "control_plane")[]
  /** No promise is made about where data lies. */
  residency_guaranteed: false
  /** Days that capacity in a region outlives its last use. */
  regional_job_capacity_grace_days_fixed: 30
}

export interface CompanySettingsUpdate {
  /** Days that input, output, log and artifacts of an ended run are kept. */
  run_content_retention_days: number
  /** Days that the image of a version that no task uses is kept. */
  unreferenced_image_retention_days: number
  /** Regions where runs may be placed. It says nothing about builds, storage or logs. */
  allowed_regions: ("asia-east1" | "asia-northeast1" | "asia-northeast2" | "asia-south1" | "asia-southeast3" | "asia-east2" | "asia-northeast3" | "asia-southeast1" | "asia-southeast2" | "asia-south2" | "onprem")[]
  /** Revision of the settings. An update must send the current one. */
  policy_version: number
}

export interface Department {
  /** Identifier of the department. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Name of the department. */
  name: string
  /** When it was created. */
  created_at: string
}

export interface DepartmentCreateRequest {
  /** Name of the department, unique in the company. */
  name: string
}

export interface DepartmentList {
  /** Items on this page. */
  items: Department[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface DepartmentUpdateRequest {
  /** New name of the department. */
  name?: string
}

export interface FavoriteChatroom {
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Whether the room comes first in lists of the caller. */
  favorite: boolean
}

export interface Membership {
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Identifier of the user. */
  user_id: string
  /** Name of the user as people see it. */
  display_name: string
  /** Whether the user manages the room. */
  room_manager: boolean
}

export interface MembershipList {
  /** Items on this page. */
  items: Membership[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface MembershipPutRequest {
  /** Whether the user manages the room; false for a new member if left out, otherwise unchanged. */
  room_manager?: boolean
}

export interface OwnChatroom {
  /** Identifier of the chatroom. */
  id: string
  /** Name of the room. */
  name: string
  /** Identifier of the department. */
  department_id: string
  /** Name of its department. */
  department_name: string
  /** Whether the caller manages the room; a member does only with the manager flag. */
  manages: boolean
}

export interface OwnChatroomList {
  /** Items on this page. */
  items: OwnChatroom[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface OwnDepartment {
  /** Identifier of the department. */
  id: string
  /** Name of the department. */
  name: string
}

export interface OwnDepartmentList {
  /** Items on this page. */
  items: OwnDepartment[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface RuntimePricing {
  /** Currency of all rates, ISO 4217. */
  currency: string
  /** Names these rates. */
  rate_version: string
  /** Names these bounds. */
  bound_version: string
  /** Rates by region code. */
  regions: Record<string, {
    /** Rates by resource profile. */
    profiles: Record<string, {
      /** Price of one second of a run, by profile. */
      per_second: string
    }>
    /** Price of 1 GiB received. */
    ingress_per_gib: string
    /** Price of 1 GiB sent. */
    egress_per_gib: string
  }>
  /** A shorter run costs as much as one of this many seconds. */
  minimum_billed_seconds: number
  /** Seconds that are reserved for the end of a run, besides its timeout. */
  finalization_seconds: number
  /** Bytes of sent data that are reserved for a run. Where they have a price, a run that sends more is ended. */
  outbound_reservation_bytes: number
  /** The same for received data. Absent where it has no price. */
  inbound_reservation_bytes?: number
}

export interface StorageUse {
  /** Identifier of the company. */
  company_id: string
  /** Bytes that the company keeps on disk. */
  kept_bytes: number
  /** Bytes that it may keep; null: no limit. */
  limit_bytes: number | null
  /** Bytes by kind, largest first. */
  kinds: {
    /** Kind of the kept bytes. */
    kind: string
    /** Bytes of this kind. */
    bytes: number
  }[]
}

export interface UsageItem {
  /** Day (UTC) of queueing; null if the report is not by day. */
  day: string | null
  /** Runs or builds. */
  kind: "run" | "build"
  /** Task of runs, or environment of builds; null if the report is not by it. */
  subject_id: string | null
  /** Its name now; null if there is none, or the report is not by it. */
  subject_name: string | null
  /** Room; empty for builds; null if the report is not by it. */
  chatroom_id: string | null
  /** Its name now; null if there is none, or the report is not by it. */
  chatroom_name: string | null
  /** Department that the room was in, or that owns the environment; empty for environments of the company; null if the report is not by it. */
  department_id: string | null
  /** Its name now; null if there is none, or the report is not by it. */
  department_name: string | null
  /** `user` or `social_media_client`; empty for builds, null if the report is not by person. */
  principal_type: string | null
  /** The person who submitted; empty for builds; null if the report is not by it. */
  principal_id: string | null
  /** Its name now; null if there is none, or the report is not by it. */
  principal_name: string | null
  /** How many ended. */
  count: number
  /** Seconds from start to end, each rounded up. */
  seconds: number
  /** Bytes received. */
  ingress_bytes: number
  /** Bytes sent. */
  egress_bytes: number
  /** Settled cost as a decimal string. */
  cost: string
}

export interface UsageReport {
  /** Identifier of the company. */
  company_id: string
  /** First day. */
  from: string
  /** Last day. */
  to: string
  /** Dimensions that the lines are grouped by. */
  by: ("day" | "task" | "room" | "department" | "person")[]
  /** Currency of all costs, ISO 4217. */
  currency: string
  /** In the order of what they are by. */
  items: UsageItem[]
  /** Whether there are more lines than fit: ask for fewer days. */
  truncated: boolean
}

export interface User {
  /** Identifier of the user. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Login name. */
  login: string
  /** Name as people see it. */
  display_name: string
  /** 0 auditor, 1 member, 2 manager of departments, 3 company manager, 4 company administrator. */
  role: number
  /** Departments that the user manages; only for role 2. */
  managed_department_ids: string[]
  /** When it was created. */
  created_at: string
  /** When the user was disabled; null if they may log in. */
  disabled_at: string | null
}

export interface UserCreateRequest {
  /** Login name, unique in the deployment. */
  login: string
  /** Password, 12 to 256 characters. */
  password: string
  /** Name as people see it; by default the login name. */
  display_name?: string
  /** 0 auditor, 1 member (default), 2 manager of departments, 3 company manager, 4 company administrator. */
  role?: number
  /** Departments that the user manages; only for role 2. */
  managed_department_ids?: string[]
}

export interface UserList {
  /** Items on this page. */
  items: User[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface UserUpdateRequest {
  /** New password; it ends all logins of the user. */
  password?: string
  /** New name as people see it. */
  display_name?: string
  /** 0 auditor, 1 member, 2 manager of departments, 3 company manager, 4 company administrator. */
  role?: number
  /** Departments that the user manages; only for role 2. */
  managed_department_ids?: string[]
  /** True ends all logins of the user and refuses new ones. */
  disabled?: boolean
}

export interface Door {
  /** Identifier of the door. */
  id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Name of the door, unique in its room. */
  name: string
  /** Platform whose requests the door understands. */
  kind: "dify" | "piston" | "librechat" | "open_terminal"
  /** Path below the service's address that the platform is given. */
  path: string
  /** Whether programs may reach what runs of the room may reach. False: nothing. */
  network: boolean
  /** Longest time that a program may run, in seconds. */
  timeout_seconds: number
  /** Languages, in the order of the request. */
  runtimes: DoorRuntime[]
  /** Person who created it, as whom its runs are submitted. */
  owner_user_id: string
  /** When it was created. */
  created_at: string
  /** When it was used last, to the minute; null: never. */
  last_used_at: string | null
}

export interface DoorCreateRequest {
  /** Name of the door, unique in its room. */
  name: string
  /** Platform whose requests the door understands. */
  kind: "dify" | "piston" | "librechat" | "open_terminal"
  /** Languages. Two may have the same language with different versions. */
  runtimes: DoorRuntimeRequest[]
  /** Whether programs may reach what runs of the room may reach. By default true for `dify`, whose requests ask for it, and false for others. */
  network?: boolean
  /** Longest time that a program may run, in seconds. By default 30. */
  timeout_seconds?: number
}

export interface DoorList {
  /** Items on this page. */
  items: Door[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface DoorRuntime {
  /** Name of the language, as the platform sends it. */
  language: string
  /** Version that the platform is shown and selects by: three numbers. */
  version: string
  /** Other names of the language. Those of a known language are added. */
  aliases: string[]
  /** Identifier of the environment version. */
  environment_version_id: string
  /** Shell text that runs the program. `$1` is the main file, the rest are the arguments of the request. */
  run_command: string
  /** Shell text that compiles it first. `$@` are the files of the request. Null: nothing is compiled. */
  compile_command: string | null
}

export interface DoorRuntimeRequest {
  /** Name of the language, as the platform sends it. */
  language: string
  /** Version that the platform is shown and selects by: three numbers. */
  version?: string
  /** Other names of the language. Those of a known language are added. */
  aliases?: string[]
  /** Identifier of the environment version. */
  environment_version_id: string
  /** As in the answer. May be left out for a language that the service knows. */
  run_command?: string
  /** As in the answer. May be left out for a language that the service knows. */
  compile_command?: string
}

export interface DoorWithKey {
  /** Identifier of the door. */
  id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Name of the door, unique in its room. */
  name: string
  /** Platform whose requests the door understands. */
  kind: "dify" | "piston" | "librechat" | "open_terminal"
  /** Path below the service's address that the platform is given. */
  path: string
  /** Whether programs may reach what runs of the room may reach. False: nothing. */
  network: boolean
  /** Longest time that a program may run, in seconds. */
  timeout_seconds: number
  /** Languages, in the order of the request. */
  runtimes: DoorRuntime[]
  /** Person who created it, as whom its runs are submitted. */
  owner_user_id: string
  /** When it was created. */
  created_at: string
  /** When it was used last, to the minute; null: never. */
  last_used_at: string | null
  /** Key that the platform sends. It opens this door and nothing else, and is shown only here. */
  door_key: string
}

export interface ContextObject {
  /** Identifier of the stored archive. */
  owned_object_id: string
  /** Identifier of the environment. */
  environment_id: string
  /** Bytes of the archive. */
  byte_size: number
  /** Digest of the archive. */
  digest: string
  /** Whether the archive still exists; only an `active` one makes a version. */
  deletion_state: "active" | "delete_pending" | "deleted" | "tombstoned"
  /** Versions of this environment with this digest as `source_digest`. */
  used_by_version_ids: string[]
  /** When it was received. */
  created_at: string | null
  /** When it is deleted unless a version uses it. */
  expires_at: string | null
}

export interface ContextObjectList {
  /** Items on this page. */
  items: ContextObject[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface ContextUploadComplete {
  /** Identifier of the stored archive. */
  owned_object_id: string
  /** Digest of the archive. */
  digest: string
  /** Bytes of the archive. */
  byte_size: number
  /** Identifier of the upload session. */
  upload_session_id: string
  /** Identifier of the environment. */
  environment_id: string
}

export interface ContextUploadCompleteRequest {
  /** Bytes that must have arrived; not compared if left out. */
  expected_size?: number | null
  /** Digest that they must have; not compared if left out. */
  expected_digest?: string | null
}

export interface ContextUploadInit {
  /** Identifier of the upload session. */
  upload_session_id: string
  /** Permits sending the bytes, in the header that `put_header_name` names. */
  capability_token: string
  /** Until when the token is valid: 15 minutes. */
  capability_expires_at: string
  /** The archive is sent in one request. */
  upload_mode: "single_part"
  /** Kind of the uploaded object. */
  object_kind: "context"
  /** Format of the archive. */
  archive_format: "zip" | "tar" | "tar.gz"
  /** Bytes of the archive. */
  declared_bytes: number
  /** Bytes that the session takes. */
  max_bytes: number
  /** Header that takes the token. */
  put_header_name: "X-Sandbox-Upload-Capability"
  /** `Content-Type` of the request with the bytes. */
  put_content_type: "application/octet-stream"
}

export interface ContextUploadInitRequest {
  /** Bytes of the archive, at most 1 GiB. */
  declared_bytes: number
  /** Format of the archive; by default `tar.gz`. */
  archive_format?: "zip" | "tar" | "tar.gz"
}

export interface ContextUploadPut {
  /** Identifier of the upload session. */
  upload_session_id: string
  /** Bytes that arrived. */
  bytes_received: number
  /** Digest of the bytes that arrived. */
  digest: string
}

export interface ContextUploadSession {
  /** Identifier of the upload session. */
  upload_session_id: string
  /** Identifier of the environment. */
  environment_id: string
  /** Where the upload is in its life. */
  state: "uploading" | "completing" | "completed" | "abort_pending" | "aborted"
  /** Kind of the uploaded object. */
  object_kind: "context"
  /** Bytes of the archive as announced. */
  declared_bytes: number
  /** The stored archive; null until the upload is completed. */
  owned_object_id: string | null
  /** Digest of the bytes that arrived; null until they have. */
  digest: string | null
  /** Bytes that arrived; null until they have. */
  byte_size: number | null
  /** Until when an unfinished upload is kept. */
  session_expires_at: string | null
}

export interface Egress {
  /** Addresses that runs may reach; null: every public address. */
  allow_list: EgressAllowList | null
}

export interface EgressAllowList {
  /** Names that runs may reach; `*.example.com` is every subdomain, but not the domain itself. */
  domains: string[]
  /** Ranges of public addresses that runs may reach. */
  cidrs: string[]
}

export interface EgressRequest {
  /** Addresses that runs may reach; null: every public address. Two empty lists: nothing. */
  allow_list: EgressAllowList | null
}

export interface Environment {
  /** Identifier of the environment. */
  id: string
  /** Identifier of the company; null for `system_curated`. */
  company_id: string | null
  /** `company`: made by a tenant, whichever its owner. `system_curated`: made by the operator for all. */
  owner_kind: "system_curated" | "company"
  /** Kind of the owner. */
  owner_scope: "chatroom" | "department" | "company"
  /** Identifier of the owner. */
  owner_id: string
  /** Name of the environment. */
  name: string
  /** Its purpose; may be empty. */
  description: string
  /** Where the environment is in its life. */
  state: "active" | "archived"
  /** `blocked`: the operator has blocked the image of the newest built version. */
  security_state: "clear" | "blocked"
  /** Newest version that is ready; null if there is none. */
  current_version_id: string | null
}

export interface EnvironmentCreateRequest {
  /** Name of the environment. */
  name: string
  /** Its purpose. */
  description?: string
  /** Kind of the owner; by default `company`. */
  owner_scope?: "department" | "company"
  /** Identifier of the owner; required for a department, by default the caller's company. */
  owner_id?: string | null
}

export interface EnvironmentList {
  /** Items on this page. */
  items: Environment[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface EnvironmentUpdateRequest {
  /** New name. */
  name?: string
  /** Its purpose; may be empty. */
  description?: string
}

export interface EnvironmentVersion {
  /** Identifier of the environment version. */
  id: string
  /** Identifier of the environment. */
  environment_id: string
  /** Identifier of the company; null for a curated environment. */
  company_id: string | null
  /** Number of the version in its environment, from 1. */
  version_number: number
  /** Where the version is in its life; only `ready` can run. */
  state: "draft" | "build_queued" | "building" | "quarantined" | "verifying" | "verified" | "regional_provisioning" | "ready" | "retryable_failed" | "rejected" | "abandoned" | "blocked" | "superseded" | "archived" | "provisioning_blocked"
  /** `blocked`: the operator has blocked its image. */
  security_state: "clear" | "blocked"
  /** Processors, memory and disk of its runs. */
  resource_profile: "standard" | "performance" | "large" | "xlarge"
  /** Counts toward the company's limit of retained versions. */
  capacity_retained: boolean
  /** Digest of the image that passed all checks; null until then. */
  promoted_digest: string | null
  /** Digest of the image with the platform's layer; null until then. */
  composed_execution_digest: string | null
  /** Release of the platform's layer in the image; null until built. */
  runner_release: string | null
  /** Revision of the interface between that layer and the service. */
  runner_abi_revision: string | null
  /** Revision of the rules that the build was checked against. */
  policy_revision: string | null
  /** False: runs and publishing get 409 `task_bundle_runner_unsupported`. */
  runner_release_approved: boolean
  /** Advice if the release is not approved; empty if it is. */
  runner_release_next_action: string
  /** Readiness by region code; null before the first build. */
  region_readiness: Record<string, "ready" | "not_ready"> | null
  /** When it became ready; null until then. */
  ready_at: string | null
  /** When its image passed all checks; null until then. */
  verified_at: string | null
  /** Bytes of the compressed image; null until built. */
  compressed_bytes: number | null
  /** Bytes of the unpacked image; null until built. */
  unpacked_bytes: number | null
  /** Identifier of the latest build; empty before the first. */
  last_build_attempt_id: string
  /** State of the latest build; empty before the first. */
  last_build_status: string
  /** How the latest build ended; empty until then. */
  last_build_terminal_class: string
  /** Stage of the latest build; empty before the first. */
  last_build_stage_code: string
  /** Code of the latest failure; empty without one. */
  last_build_error_code: string
  /** Slugs of the rules that failed, for owners; empty without a failure. */
  last_build_error_detail: string
  /** Stage of the latest build; empty before the first. */
  build_stage: "" | "build_queued" | "context_validator" | "customer_build" | "static_scan" | "smoke" | "sign" | "attest" | "promote" | "final_verify" | "runner_floor" | "regional_readback" | "terminal"
  /** Number of the running stage, from 1; 0 while queued and at the end. */
  build_stage_index: number
  /** Stages that the build has; 0 while queued and at the end. */
  build_stage_count: number
  /** Since when the stage runs, or the build waits in the queue; after the end, when the build ended; null before the first build. */
  build_stage_since: string | null
  /** Seconds that a whole build usually takes; 0 when none is running. */
  build_expected_seconds: number
  /** The next step, as a sentence; empty once ready. */
  build_next_action: string
  /** Digest of the archive; null unless the caller manages the environment. */
  source_digest: string | null
  /** The owner's label of the archive; null unless the caller manages the environment. */
  source_ref: string | null
}

export interface EnvironmentVersionCreateRequest {
  /** Archive from completeContextUpload. This or `source_digest` is required. */
  owned_object_id?: string | null
  /** Digest of the archive. Alone it makes a version without one, whose build fails with `context_invalid`. */
  source_digest?: string | null
  /** Your label of the archive, such as its file name; it is not a path or an address. */
  source_ref?: string
  /** Processors, memory and disk of its runs. */
  resource_profile: "standard" | "performance" | "large"
}

export interface EnvironmentVersionList {
  /** Items on this page. */
  items: EnvironmentVersion[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface KeptVersion {
  /** Identifier of the environment. */
  environment_id: string
  /** Name of the environment. */
  environment_name: string
  /** Identifier of the environment version. */
  version_id: string
  /** Number of the version in its environment. */
  version_number: number
  /** Where the version is in its life. */
  state: "draft" | "build_queued" | "building" | "quarantined" | "verifying" | "verified" | "regional_provisioning" | "ready" | "retryable_failed" | "rejected" | "abandoned" | "blocked" | "superseded" | "archived" | "provisioning_blocked"
  /** Bytes of its image; versions with the same image share them. */
  image_bytes: number
  /** Bytes of the archive that it is built from; versions may share one. */
  archive_bytes: number
  /** Uses that keep them. */
  kept_by: ("environment" | "tasks" | "runs" | "retention")[]
  /** Names of at most ten of the tasks that use it. */
  tasks: string[]
  /** When the image may be removed; null while something uses it. */
  removed_after: string | null
}

export interface KeptVersionList {
  /** The versions that keep the most, at most 200, largest first. */
  items: KeptVersion[]
}

export interface Profile {
  /** Name of the profile. */
  id: "standard" | "performance" | "large" | "xlarge"
  /** Name as people see it. */
  display_name: string
  /** Processors, as programs count them. */
  vcpu: number
  /** MiB that are enforced: programs, files in the workspace and what the platform itself needs, together. A run that takes more ends as out_of_memory. It is also what a run counts for while others wait for memory. */
  provider_memory_mib: number
  /** MiB that are promised: programs have this much whatever the workspace holds, and see it as the size of the machine. More is there only as far as the workspace is empty, and may be gone in a later release. */
  customer_memory_mib: number
  /** MiB of files that a run may write, everywhere in its sandbox together. They are kept in memory. */
  workspace_mib: number
  /** False: only the operator may select it. */
  tenant_selectable: boolean
  /** Whether it is the one to choose without a reason for another. */
  is_default: boolean
}

export interface ProfileSet {
  /** All profiles, smallest first. */
  items: Profile[]
}

export interface Region {
  /** Code of the region. */
  code: "asia-east1" | "asia-northeast1" | "asia-northeast2" | "asia-south1" | "asia-southeast3" | "asia-east2" | "asia-northeast3" | "asia-southeast1" | "asia-southeast2" | "asia-south2" | "onprem"
  /** Name as people see it. */
  display_name: string
  /** Where it is. */
  location: string
  /** 1 is preferred, 2 is for overflow, 3 is fixed capacity on premises. */
  tier: number
}

export interface RegionSet {
  /** The regions of this deployment. */
  items: Region[]
}

export interface RuntimeContract {
  /** The line that every run evaluates. */
  invocation: string
  /** Content of `/workspace/driver.sh`: the version's `work_command` for its owner, the default for others. */
  driver: string
  /** Where the scripts start, as a sentence. */
  working_directory: string
  /** Addresses that a job may reach, as sentences. */
  network: string
  /** Variable that names the file with the input. */
  inputs_file_env: string
  /** Variable that names the file for the output. */
  output_file_env: string
  /** Variable that names the folder for artifacts. */
  artifacts_dir_env: string
  /** Rules for artifacts, as sentences. */
  artifacts: string
  /** How the job gets its input, as a sentence. */
  input_delivery: string
  /** How the job gets its secrets, as a sentence. */
  secrets_delivery: string
}

export interface VersionBuildCache {
  /** Results that builds may reuse: `none`, or `images` that were built from the same inputs. */
  cache: "none" | "images"
}

export interface VersionBuildCacheRequest {
  /** Results that builds may reuse: `none`, or `images` that were built from the same inputs. */
  cache: "none" | "images"
}

export interface VersionIsolation {
  /** Isolation from the host's kernel that the owner asked for. */
  isolation: "standard" | "gvisor"
  /** Isolation that runs get: at least the deployment's own. */
  effective: "standard" | "gvisor"
}

export interface VersionIsolationRequest {
  /** Isolation of runs from the host's kernel. */
  isolation: "standard" | "gvisor"
}

export interface MailPreferences {
  /** Whether e-mails are sent: the service has a mail server, and the caller an address. */
  is_sent: boolean
  /** Address of the caller, which the operator sets in the directory; null: none. */
  address: string | null
  /** Events that the caller gets no e-mail about. */
  muted_events: ("build_ready" | "build_failed" | "build_cancelled" | "curated_environment_published" | "run_terminal" | "security_finding_discovered" | "security_finding_resolved" | "security_finding_reappeared" | "security_finding_blocked" | "security_exception_granted" | "security_exception_revoked" | "security_exception_expired" | "security_remediation_deadline" | "runner_replacement_available" | "runner_handoff_completed" | "runner_handoff_expired" | "runner_handoff_failed" | "image_storage_renewal_blocked" | "image_storage_cleanup_completed" | "run_content_expiring" | "run_content_expired")[]
}

export interface MailPreferencesUpdateRequest {
  /** Events that the caller gets no e-mail about. */
  muted_events: ("build_ready" | "build_failed" | "build_cancelled" | "curated_environment_published" | "run_terminal" | "security_finding_discovered" | "security_finding_resolved" | "security_finding_reappeared" | "security_finding_blocked" | "security_exception_granted" | "security_exception_revoked" | "security_exception_expired" | "security_remediation_deadline" | "runner_replacement_available" | "runner_handoff_completed" | "runner_handoff_expired" | "runner_handoff_failed" | "image_storage_renewal_blocked" | "image_storage_cleanup_completed" | "run_content_expiring" | "run_content_expired")[]
}

export interface Notification {
  /** Identifier of the notification. */
  id: string
  /** Always `sandbox_event`. */
  type: "sandbox_event"
  /** The event. */
  event: "build_ready" | "build_failed" | "build_cancelled" | "curated_environment_published" | "run_terminal" | "security_finding_discovered" | "security_finding_resolved" | "security_finding_reappeared" | "security_finding_blocked" | "security_exception_granted" | "security_exception_revoked" | "security_exception_expired" | "security_remediation_deadline" | "runner_replacement_available" | "runner_handoff_completed" | "runner_handoff_expired" | "runner_handoff_failed" | "image_storage_renewal_blocked" | "image_storage_cleanup_completed" | "run_content_expiring" | "run_content_expired"
  /** One line for people. Names are cut to 80 characters. */
  title: string
  /** Path of the console page about it. */
  deep_link: string
  /** Kind of the object that `subject_id` names. */
  subject_type: "run" | "runs" | "build" | "environment" | "environment_version"
  /** The object of the notification; null for `runs`. */
  subject_id: string | null
  /** The room of a run; null for everything else. */
  chatroom_id: string | null
  /** How many things it covers, such as findings of one scan. */
  count: number
  /** When it happened. */
  created_at: string
  /** When the caller marked it as read, or null. */
  read_at: string | null
}

export interface NotificationList {
  /** Items on this page. */
  items: Notification[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface Webhook {
  /** Identifier of the webhook. */
  id: string
  /** Address that gets the events: `https`, without a user or a fragment. */
  url: string
  /** For people. */
  description: string
  /** Events that it gets; an empty list means all. */
  events: ("build_ready" | "build_failed" | "build_cancelled" | "curated_environment_published" | "run_terminal" | "security_finding_discovered" | "security_finding_resolved" | "security_finding_reappeared" | "security_finding_blocked" | "security_exception_granted" | "security_exception_revoked" | "security_exception_expired" | "security_remediation_deadline" | "runner_replacement_available" | "runner_handoff_completed" | "runner_handoff_expired" | "runner_handoff_failed" | "image_storage_renewal_blocked" | "image_storage_cleanup_completed" | "run_content_expiring" | "run_content_expired")[]
  /** Since when it is paused, or null. */
  paused_at: string | null
  /** `manager`: somebody paused it. `gone`: it answered 410. `failing`: no attempt succeeded for three days. */
  paused_because: "manager" | "gone" | "failing" | null
  /** Since when no attempt has succeeded, or null. */
  failing_since: string | null
  /** Events that were not queued, because 1,000 were waiting. */
  dropped: number
  /** When it was created. */
  created_at: string
}

export interface WebhookCreateRequest {
  /** Address that gets the events: `https`, without a user or a fragment. */
  url: string
  /** For people. */
  description?: string
  /** Events that it gets; an empty list means all. */
  events?: ("build_ready" | "build_failed" | "build_cancelled" | "curated_environment_published" | "run_terminal" | "security_finding_discovered" | "security_finding_resolved" | "security_finding_reappeared" | "security_finding_blocked" | "security_exception_granted" | "security_exception_revoked" | "security_exception_expired" | "security_remediation_deadline" | "runner_replacement_available" | "runner_handoff_completed" | "runner_handoff_expired" | "runner_handoff_failed" | "image_storage_renewal_blocked" | "image_storage_cleanup_completed" | "run_content_expiring" | "run_content_expired")[]
}

export interface WebhookDelivery {
  /** Identifier of the delivery. */
  id: string
  /** The `webhook-id` of each attempt: equal ids are the same event. */
  event_id: string
  /** The event. */
  event: "build_ready" | "build_failed" | "build_cancelled" | "curated_environment_published" | "run_terminal" | "security_finding_discovered" | "security_finding_resolved" | "security_finding_reappeared" | "security_finding_blocked" | "security_exception_granted" | "security_exception_revoked" | "security_exception_expired" | "security_remediation_deadline" | "runner_replacement_available" | "runner_handoff_completed" | "runner_handoff_expired" | "runner_handoff_failed" | "image_storage_renewal_blocked" | "image_storage_cleanup_completed" | "run_content_expiring" | "run_content_expired"
  /** Whether it waits for an attempt, or how it ended. */
  state: "waiting" | "delivered" | "failed"
  /** Attempts so far. */
  attempts: number
  /** When the last attempt began, or null. */
  last_attempt_at: string | null
  /** HTTP status of the last attempt, or null. */
  last_status: number | null
  /** Why the last attempt failed, as a slug, or null. */
  last_error: string | null
  /** When it is attempted next; null once it ended. */
  next_attempt_at: string | null
  /** When the event was queued. */
  created_at: string
}

export interface WebhookDeliveryList {
  /** Items on this page. */
  items: WebhookDelivery[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface WebhookList {
  /** Items on this page. */
  items: Webhook[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface WebhookUpdateRequest {
  /** Address that gets the events: `https`, without a user or a fragment. */
  url?: string
  /** For people. */
  description?: string
  /** Events that it gets; an empty list means all. */
  events?: ("build_ready" | "build_failed" | "build_cancelled" | "curated_environment_published" | "run_terminal" | "security_finding_discovered" | "security_finding_resolved" | "security_finding_reappeared" | "security_finding_blocked" | "security_exception_granted" | "security_exception_revoked" | "security_exception_expired" | "security_remediation_deadline" | "runner_replacement_available" | "runner_handoff_completed" | "runner_handoff_expired" | "runner_handoff_failed" | "image_storage_renewal_blocked" | "image_storage_cleanup_completed" | "run_content_expiring" | "run_content_expired")[]
  /** True pauses it: new events are not queued. False resumes it. */
  paused?: boolean
}

export interface WebhookWithSecret {
  /** Identifier of the webhook. */
  id: string
  /** Address that gets the events: `https`, without a user or a fragment. */
  url: string
  /** For people. */
  description: string
  /** Events that it gets; an empty list means all. */
  events: ("build_ready" | "build_failed" | "build_cancelled" | "curated_environment_published" | "run_terminal" | "security_finding_discovered" | "security_finding_resolved" | "security_finding_reappeared" | "security_finding_blocked" | "security_exception_granted" | "security_exception_revoked" | "security_exception_expired" | "security_remediation_deadline" | "runner_replacement_available" | "runner_handoff_completed" | "runner_handoff_expired" | "runner_handoff_failed" | "image_storage_renewal_blocked" | "image_storage_cleanup_completed" | "run_content_expiring" | "run_content_expired")[]
  /** Since when it is paused, or null. */
  paused_at: string | null
  /** `manager`: somebody paused it. `gone`: it answered 410. `failing`: no attempt succeeded for three days. */
  paused_because: "manager" | "gone" | "failing" | null
  /** Since when no attempt has succeeded, or null. */
  failing_since: string | null
  /** Events that were not queued, because 1,000 were waiting. */
  dropped: number
  /** When it was created. */
  created_at: string
  /** Signing secret as Standard Webhooks libraries take it. It is shown only here. */
  secret: string
}

export interface ArtifactDownloadCapability {
  /** Identifier of the artifact. */
  artifact_id: string
  /** Identifier of the run. */
  run_id: string
  /** Identifier of the company. */
  company_id: string
  /** Permits the download, as `X-Sandbox-Download-Capability`. It is not an address. */
  capability_token: string
  /** Until when the token is valid: 5 minutes. */
  expires_at: string
  /** `Content-Type` of the download. */
  content_type: "application/octet-stream"
  /** `Content-Disposition` of the download. */
  content_disposition: string
  /** `X-Content-Type-Options` of the download. */
  x_content_type_options: "nosniff"
}

export interface ArtifactPublicLink {
  /** Identifier of the run. */
  run_id: string
  /** Identifier of the artifact. */
  artifact_id: string
  /** Path of the file below the artifacts folder, for display. */
  relative_path: string
  /** Kind of the object that the link downloads. */
  object_kind: "artifact"
  /** The permanent address; empty for a link that never existed. */
  url: string
  /** Last part of the address. */
  token: string
  /** Whether the link is dead. */
  revoked: boolean
  /** When it was created; null for a link that never existed. */
  created_at: string | null
}

export type BuildLogEvent = {
  /** Text of the log. */
  kind: "log"
  /** Position of its first byte. */
  start: number
  /** The text. The job wrote it: escape it for display. */
  text: string
} | {
  /** Bytes that arrived too fast to show, or that the log does not keep. */
  kind: "gap"
  /** Position of the first byte left out. */
  start: number
  /** Position after the last one. */
  end: number
} | {
  /** The log has ended, and so does the stream. */
  kind: "end"
  /** How it ended. */
  status: "validation_queued" | "validating" | "build_queued" | "building" | "verifying" | "completed" | "customer_failed" | "platform_failed" | "cancel_requested" | "cancelling" | "cancelled"
}

export type BuildStateEvent = {
  /** A new state. */
  kind: "state"
  /** Number of the event, which is also its id. */
  position: number
  /** The state. */
  status: "validation_queued" | "validating" | "build_queued" | "building" | "verifying" | "completed" | "customer_failed" | "platform_failed" | "cancel_requested" | "cancelling" | "cancelled"
  /** When it began. */
  at: string
} | {
  /** The last state was sent, and the stream ends. */
  kind: "end"
  /** The last state. */
  status: "validation_queued" | "validating" | "build_queued" | "building" | "verifying" | "completed" | "customer_failed" | "platform_failed" | "cancel_requested" | "cancelling" | "cancelled"
}

export interface ExtendedRun {
  /** Identifier of the run. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Where the run is in its life. */
  status: "queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled"
  /** Processors, memory and disk of the run. */
  resource_profile: "standard" | "performance" | "large" | "xlarge"
  /** Kind of who submitted it. */
  principal_type: "user" | "social_media_client"
  /** Identifier of who submitted it, by its kind. */
  principal_id: string
  /** How the submitter logged in. */
  auth_method: "jwt" | "api_key"
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** Deadline, in seconds from the start. */
  timeout_seconds: number
  /** How it was submitted; empty if unknown. */
  submission_source: "" | "rest" | "agent" | "quick_run" | "custom_table_trigger"
  /** Code of the failure, such as `timeout`; empty without one. */
  error_code: string
  /** The exact failure, as a slug; empty without a failure. */
  error_detail: string
  /** Exit code of the scripts; null until the end, and if they did not exit. */
  exit_code: number | null
  /** Part of the run that failed; empty without a failure. */
  failure_stage: "" | "task_bundle" | "secret_env" | "workspace" | "spawn" | "metering_arm" | "metering_start" | "metering_wait" | "metering_terminal" | "work" | "output" | "timeout" | "cancel" | "egress_cap" | "wait"
  /** Component that reported the failure; empty without one. */
  failure_source: "" | "runner" | "reconcile" | "dispatch" | "submit" | "policy" | "tenant"
  /** Why it has not started; empty while it runs and at the end. */
  wait_reason: "" | "awaiting_dispatch" | "company_saturated" | "session_in_use" | "no_active_region" | "missing_image_digest" | "capacity_snapshot_stale" | "provider_capacity_exhausted" | "provider_submit_pending" | "provider_submit_uncertain" | "container_starting" | "cancel_pending"
  /** Meaning of the wait, as a sentence; empty when it does not wait. */
  next_action: string
  /** Since when it waits; null when it does not. */
  wait_since: string | null
  /** Place in the queue, from 1; null when it does not wait. */
  queue_position: number | null
  /** Estimated seconds until it starts; null when it does not wait or nothing is known. */
  eta_seconds: number | null
  /** How to repair the failure, as a sentence; empty without one. */
  failure_hint: string
  /** Bytes received from the network. */
  measured_ingress_bytes: number
  /** Bytes sent to the network. */
  measured_egress_bytes: number
  /** Digest of the input in its canonical form. */
  input_digest: string
  /** The run that this one repeats; empty if none. */
  retry_of_run_id: string
  /** When it was queued. */
  queued_at: string | null
  /** When it ended; null until then. */
  terminal_at: string | null
  /** Supplier of each secret, by slot; null without secrets. */
  secret_slot_provenance: Record<string, {
    /** Side that supplied the secret. */
    resolved_via: "borrower" | "owner"
    /** Kind of the consumer that supplied it. */
    consumer_scope: "chatroom" | "department" | "company"
  }> | null
  /** The files that the run was given. */
  files: RunFile[]
  /** Texts of the submitter about the run. */
  metadata: RunMetadata
  /** The session that the run was given; null for none. */
  session_id: string | null
}

export interface ExtendedRunList {
  /** Items on this page. */
  items: ExtendedRun[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface ExtendedSubmitRequest {
  /** Identifier of the task version. */
  task_version_id: string
  /** Any JSON that fits the version's input schema, at most 1 MiB. */
  input: unknown
  /** Deadline, in seconds from the start; by default the version's. */
  timeout_seconds?: number | null
  /** Files for the run beside its input, at most 256 MiB together. */
  files?: RunFileRequest[]
  /** A session of the caller in the room: its files are in `/workspace/session`, and what a job that ends by itself leaves there is kept. */
  session?: {
    /** Identifier of the session. */
    session_id: string
    /** `wait`: while another run holds the session, the run stays in the queue with the reason `session_in_use`. `refuse`: it is refused. The default is `"wait"`. */
    when_in_use?: "wait" | "refuse"
  }
  /** Texts about the run, which the service stores and does not read. `external_user` is the person of another platform for whom the run is. */
  metadata?: Record<string, string>
}

export interface InlineOutput {
  /** Bytes of the output. */
  byte_size: number
  /** Form of the output; `too_large` for more than 256 KiB. */
  format: "json" | "text" | "binary" | "too_large"
  /** Its value, if it is JSON; otherwise null. */
  json: unknown
  /** Its text, if it is UTF-8 but no JSON; otherwise null. */
  text: string | null
  /** Why a text that begins like JSON is none, and where, such as `at /rows/3/mean (byte 120): holds NaN or Infinity, ...`; otherwise null. */
  problem: string | null
}

export interface InputFile {
  /** Identifier of the input file. */
  id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Name by the sender. */
  name: string
  /** Media type by the sender. */
  media_type: string
  /** Size in bytes. */
  byte_size: number
  /** Digest of the bytes. */
  digest: string
  /** Identifier of the person who uploaded it. */
  uploaded_by: string
  /** When it was uploaded. */
  created_at: string
  /** It is kept until then, and beyond that as long as the input of a run that took it. */
  expires_at: string
}

export interface InputFileList {
  /** Items on this page. */
  items: InputFile[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface ManualRunSubmitRequest {
  /** Identifier of the task version. */
  task_version_id: string
  /** Any JSON that fits the version's input schema, at most 1 MiB. */
  input: unknown
  /** Deadline, in seconds from the start; by default the version's. */
  timeout_seconds?: number | null
}

export interface NetworkLog {
  /** Identifier of the run. */
  run_id: string
  /** Refused connections, oldest first, at most 201. */
  items: RefusedConnection[]
  /** Further attempts that are not in `items`. */
  more: number
}

export type OutputPolicy = {
  /** The run may write rows of a table. */
  kind: "custom_table_writeback"
  /** Identifier of the table. */
  table_id: string
  /** Operations that it may do; by default `create`. */
  allowed_ops?: "create" | "create,update"
} | {
  /** The run may call a command of a table. */
  kind: "custom_table_command"
  /** Identifier of the command. */
  command_id: string
  /** Room in which the command is called. */
  chatroom_id: string
  /** Inputs of the command, at most 200. */
  input_schema: Record<string, unknown>[]
}

export interface PublicLink {
  /** Identifier of the run. */
  run_id: string
  /** Kind of the object that the link downloads. */
  object_kind: "log" | "output"
  /** The permanent address; empty for a link that never existed. */
  url: string
  /** Last part of the address. */
  token: string
  /** Whether the link is dead. */
  revoked: boolean
  /** When it was created; null for a link that never existed. */
  created_at: string | null
}

export interface QuickRun {
  /** The hidden task. */
  task: Task
  /** Its published version. */
  version: TaskVersion
  /** The queued run. */
  run: RunDetail
}

export interface QuickRunRequest {
  /** Name of the hidden task. */
  name: string
  /** Identifier of the environment version. */
  environment_version_id: string
  /** Script that is evaluated first, at most 1 MiB. */
  startup_script?: string
  /** Script that does the work, at most 1 MiB. */
  work_script?: string
  /** Environment variables that are not secret. */
  ordinary_env?: Record<string, string>
  /** Any JSON, at most 1 MiB. */
  input: unknown
  /** Deadline of the run, in seconds from its start. */
  timeout_seconds: number
}

export interface RefusedConnection {
  /** Why it was refused. */
  reason: "not_public_address" | "metadata_address" | "host_address" | "other_sandbox" | "foreign_resolver" | "unsupported_protocol" | "too_many_connections" | "not_in_allow_list" | "name_not_in_allow_list" | "name_has_inner_address" | "cap_reached"
  /** The reason as a sentence. */
  explanation: string
  /** `dns` for the query of a name. */
  protocol: "tcp" | "udp" | "dns" | "other"
  /** The queried name, other bytes than printable ones as `\ddd`; empty unless `protocol` is `dns`. */
  name: string
  /** The address; empty if there is none. */
  address: string
  /** The port; 0 if there is none. */
  port: number
  /** How often it was tried. */
  attempts: number
  /** When it was first tried. */
  first_at: string
  /** When it was last tried. */
  last_at: string
}

export interface RunAndWaitRequest {
  /** Identifier of the task version. */
  task_version_id: string
  /** Any JSON that fits the version's input schema, at most 1 MiB. */
  input: unknown
  /** Deadline, in seconds from the start; by default the version's. */
  timeout_seconds?: number | null
  /** Files for the run beside its input, at most 256 MiB together. */
  files?: RunFileRequest[]
  /** A session of the caller in the room: its files are in `/workspace/session`, and what a job that ends by itself leaves there is kept. */
  session?: {
    /** Identifier of the session. */
    session_id: string
    /** `wait`: while another run holds the session, the run stays in the queue with the reason `session_in_use`. `refuse`: it is refused. The default is `"wait"`. */
    when_in_use?: "wait" | "refuse"
  }
  /** Texts about the run, which the service stores and does not read. `external_user` is the person of another platform for whom the run is. */
  metadata?: Record<string, string>
  /** Seconds to wait for the end, at most 60. The default is `60`. */
  wait_seconds?: number
}

export interface RunArtifact {
  /** Identifier of the artifact. */
  id: string
  /** Identifier of the run. */
  run_id: string
  /** Path below the artifacts folder of the run. */
  relative_path: string
  /** Digest of the path. */
  path_hash: string
  /** Bytes of the file. */
  byte_size: number
  /** Digest of the file. */
  digest: string
  /** Whether the file still exists; only an `active` one can be downloaded. */
  deletion_state: "active" | "delete_pending" | "deleted" | "tombstoned"
  /** Media type by the name of the file; nobody looked inside. */
  declared_content_type: string
}

export interface RunArtifactList {
  /** Items on this page. */
  items: RunArtifact[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface RunContent {
  /** Identifier of the run. */
  run_id: string
  /** Identifier of the company. */
  company_id: string
  /** `missing`: nothing was stored yet; otherwise whether the content still exists. */
  state: "missing" | "active" | "delete_pending" | "deleted" | "tombstoned"
  /** Digest of the input in its canonical form. */
  input_digest: string
  /** The input is stored. */
  has_input: boolean
  /** The run left an output. */
  has_output: boolean
  /** The run left a log. */
  has_log: boolean
  /** The run left artifacts. */
  has_artifact_bundle: boolean
}

export interface RunDetail {
  /** Identifier of the run. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Where the run is in its life. */
  status: "queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled"
  /** Processors, memory and disk of the run. */
  resource_profile: "standard" | "performance" | "large" | "xlarge"
  /** Kind of who submitted it. */
  principal_type: "user" | "social_media_client"
  /** Identifier of who submitted it, by its kind. */
  principal_id: string
  /** How the submitter logged in. */
  auth_method: "jwt" | "api_key"
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** Deadline, in seconds from the start. */
  timeout_seconds: number
  /** How it was submitted; empty if unknown. */
  submission_source: "" | "rest" | "agent" | "quick_run" | "custom_table_trigger"
  /** Code of the failure, such as `timeout`; empty without one. */
  error_code: string
  /** The exact failure, as a slug; empty without a failure. */
  error_detail: string
  /** Exit code of the scripts; null until the end, and if they did not exit. */
  exit_code: number | null
  /** Part of the run that failed; empty without a failure. */
  failure_stage: "" | "task_bundle" | "secret_env" | "workspace" | "spawn" | "metering_arm" | "metering_start" | "metering_wait" | "metering_terminal" | "work" | "output" | "timeout" | "cancel" | "egress_cap" | "wait"
  /** Component that reported the failure; empty without one. */
  failure_source: "" | "runner" | "reconcile" | "dispatch" | "submit" | "policy" | "tenant"
  /** Why it has not started; empty while it runs and at the end. */
  wait_reason: "" | "awaiting_dispatch" | "company_saturated" | "session_in_use" | "no_active_region" | "missing_image_digest" | "capacity_snapshot_stale" | "provider_capacity_exhausted" | "provider_submit_pending" | "provider_submit_uncertain" | "container_starting" | "cancel_pending"
  /** Meaning of the wait, as a sentence; empty when it does not wait. */
  next_action: string
  /** Since when it waits; null when it does not. */
  wait_since: string | null
  /** Place in the queue, from 1; null when it does not wait. */
  queue_position: number | null
  /** Estimated seconds until it starts; null when it does not wait or nothing is known. */
  eta_seconds: number | null
  /** How to repair the failure, as a sentence; empty without one. */
  failure_hint: string
  /** Bytes received from the network. */
  measured_ingress_bytes: number
  /** Bytes sent to the network. */
  measured_egress_bytes: number
  /** Digest of the input in its canonical form. */
  input_digest: string
  /** The run that this one repeats; empty if none. */
  retry_of_run_id: string
  /** When it was queued. */
  queued_at: string | null
  /** When it ended; null until then. */
  terminal_at: string | null
  /** Supplier of each secret, by slot; null without secrets. */
  secret_slot_provenance: Record<string, {
    /** Side that supplied the secret. */
    resolved_via: "borrower" | "owner"
    /** Kind of the consumer that supplied it. */
    consumer_scope: "chatroom" | "department" | "company"
  }> | null
}

export interface RunFile {
  /** Name of the file in the sandbox, below `/workspace/inputs`. */
  name: string
  /** Size in bytes. */
  byte_size: number
  /** Digest of the bytes. */
  digest: string
  /** The uploaded file; null for an artifact. */
  file_id: string | null
  /** The run that left the artifact; null for an uploaded file. */
  run_id: string | null
  /** The artifact; null for an uploaded file. */
  artifact_id: string | null
}

export interface RunFileRequest {
  /** Name of the file in the sandbox, below `/workspace/inputs`. */
  name: string
  /** An uploaded file of the room. */
  file_id?: string
  /** Another run, of which the file is an artifact. */
  run_id?: string
  /** Path or identifier of an artifact of `run_id`. */
  artifact?: string
}

export interface RunLink {
  /** Identifier of the link. */
  id: string
  /** Identifier of the run. */
  run_id: string
  /** Purpose of the link; `permanent` for a public link. */
  purpose: "share" | "media" | "download" | "permanent"
  /** Kind of the object that the link shows; `run` for a share page. */
  object_kind: "run" | "log" | "output" | "artifact"
  /** The artifact; null for others. */
  artifact_id: string | null
  /** The address; empty once the link is revoked. */
  url: string
  /** Its creator; empty if unknown. */
  created_by: string
  /** When it was created. */
  created_at: string
  /** When it dies; null: when it is revoked. */
  expires_at: string | null
  /** Whether the link is dead. */
  revoked: boolean
}

export interface RunLinkList {
  /** Items on this page. */
  items: RunLink[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface RunList {
  /** Items on this page. */
  items: RunDetail[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export type RunLogEvent = {
  /** Text of the log. */
  kind: "log"
  /** Position of its first byte. */
  start: number
  /** The text. The job wrote it: escape it for display. */
  text: string
} | {
  /** Bytes that arrived too fast to show, or that the log does not keep. */
  kind: "gap"
  /** Position of the first byte left out. */
  start: number
  /** Position after the last one. */
  end: number
} | {
  /** The log has ended, and so does the stream. */
  kind: "end"
  /** How it ended. */
  status: "queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled"
}

export type RunMetadata = Record<string, string>

export interface RunRemark {
  /** `no_output`: the run completed without an output, or with an empty one; `artifacts_refused`: none of its artifacts was kept. */
  code: "no_output" | "artifacts_refused"
  /** The broken rule of `artifacts_refused`; otherwise empty. */
  rule: string
  /** The artifact that broke the rule, on one line, its end if it is long. Written by the job: escape it for display. */
  path: string | null
  /** The remark as a sentence, which may hold the path. */
  message: string
}

export interface RunRemarks {
  /** Identifier of the run. */
  run_id: string
  /** Remarks on the run. */
  remarks: RunRemark[]
}

export interface RunResult {
  /** `keep_waiting`: the run had not ended in time; wait again by its id. */
  state: "ended" | "keep_waiting"
  /** The run. */
  run: ExtendedRun
  /** Its output; null if it left none, or has not ended. */
  output: InlineOutput | null
}

export interface RunRetryRequest {
  /** Another input; by default that of the first run. */
  input?: unknown
}

export type RunStateEvent = {
  /** A new state. */
  kind: "state"
  /** Number of the event, which is also its id. */
  position: number
  /** The state. */
  status: "queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled"
  /** When it began. */
  at: string
} | {
  /** The last state was sent, and the stream ends. */
  kind: "end"
  /** The last state. */
  status: "queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled"
}

export interface RunUsage {
  /** Identifier of the run. */
  run_id: string
  /** Most memory used at once, in bytes; null if it was not measured. */
  peak_memory_bytes: number | null
  /** Memory limit of the profile, in bytes. */
  memory_limit_bytes: number
  /** Processor time in milliseconds; null if it was not measured. */
  cpu_ms: number | null
  /** Bytes received from the network. */
  ingress_bytes: number
  /** Bytes sent to the network. */
  egress_bytes: number
  /** When the job started; null if it did not. */
  started_at: string | null
  /** When the run ended; null until then. */
  terminal_at: string | null
}

export interface SessionQuickRunRequest {
  /** Name of the hidden task. */
  name: string
  /** Identifier of the environment version. */
  environment_version_id: string
  /** Script that is evaluated first, at most 1 MiB. */
  startup_script?: string
  /** Script that does the work, at most 1 MiB. */
  work_script?: string
  /** Environment variables that are not secret. */
  ordinary_env?: Record<string, string>
  /** Any JSON, at most 1 MiB. */
  input: unknown
  /** Deadline of the run, in seconds from its start. */
  timeout_seconds: number
  /** A session of the caller in the room. */
  session?: {
    /** Identifier of the session. */
    session_id: string
    /** `wait`: while another run holds the session, the run stays in the queue with the reason `session_in_use`. `refuse`: it is refused. The default is `"wait"`. */
    when_in_use?: "wait" | "refuse"
  }
}

export interface SignedLinkCreateRequest {
  /** `share`: a page for people. `media`: one image, CSV or text, shown inline. `download`: one file. */
  purpose: "share" | "media" | "download"
  /** Kind of the object that `media` and `download` show; left out for `share`. */
  object_kind?: "log" | "output" | "artifact"
  /** The artifact; required if `object_kind` is `artifact`. */
  artifact_id?: string
  /** Seconds until the link dies. The default is `604800`. */
  expires_in_seconds?: number
}

export interface VisibleRun {
  /** Identifier of the run. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Where the run is in its life. */
  status: "queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled"
  /** Processors, memory and disk of the run. */
  resource_profile: "standard" | "performance" | "large" | "xlarge"
  /** Kind of who submitted it. */
  principal_type: "user" | "social_media_client"
  /** Identifier of who submitted it, by its kind. */
  principal_id: string
  /** How the submitter logged in. */
  auth_method: "jwt" | "api_key"
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** Deadline, in seconds from the start. */
  timeout_seconds: number
  /** How it was submitted; empty if unknown. */
  submission_source: "" | "rest" | "agent" | "quick_run" | "custom_table_trigger"
  /** Code of the failure, such as `timeout`; empty without one. */
  error_code: string
  /** The exact failure, as a slug; empty without a failure. */
  error_detail: string
  /** Exit code of the scripts; null until the end, and if they did not exit. */
  exit_code: number | null
  /** Part of the run that failed; empty without a failure. */
  failure_stage: "" | "task_bundle" | "secret_env" | "workspace" | "spawn" | "metering_arm" | "metering_start" | "metering_wait" | "metering_terminal" | "work" | "output" | "timeout" | "cancel" | "egress_cap" | "wait"
  /** Component that reported the failure; empty without one. */
  failure_source: "" | "runner" | "reconcile" | "dispatch" | "submit" | "policy" | "tenant"
  /** Why it has not started; empty while it runs and at the end. */
  wait_reason: "" | "awaiting_dispatch" | "company_saturated" | "session_in_use" | "no_active_region" | "missing_image_digest" | "capacity_snapshot_stale" | "provider_capacity_exhausted" | "provider_submit_pending" | "provider_submit_uncertain" | "container_starting" | "cancel_pending"
  /** Meaning of the wait, as a sentence; empty when it does not wait. */
  next_action: string
  /** Since when it waits; null when it does not. */
  wait_since: string | null
  /** Place in the queue, from 1; null when it does not wait. */
  queue_position: number | null
  /** Estimated seconds until it starts; null when it does not wait or nothing is known. */
  eta_seconds: number | null
  /** How to repair the failure, as a sentence; empty without one. */
  failure_hint: string
  /** Bytes received from the network. */
  measured_ingress_bytes: number
  /** Bytes sent to the network. */
  measured_egress_bytes: number
  /** Digest of the input in its canonical form. */
  input_digest: string
  /** The run that this one repeats; empty if none. */
  retry_of_run_id: string
  /** When it was queued. */
  queued_at: string | null
  /** When it ended; null until then. */
  terminal_at: string | null
  /** Supplier of each secret, by slot; null without secrets. */
  secret_slot_provenance: Record<string, {
    /** Side that supplied the secret. */
    resolved_via: "borrower" | "owner"
    /** Kind of the consumer that supplied it. */
    consumer_scope: "chatroom" | "department" | "company"
  }> | null
  /** Name of the room. */
  chatroom_name: string
  /** Name of the task. */
  task_name: string
}

export interface VisibleRunList {
  /** Items on this page. */
  items: VisibleRun[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
  /** Matches of the filters on all pages. */
  total: number
}

export interface EncryptedValue {
  /** Base64 of a random AES-256 key, wrapped with RSA-OAEP-SHA256 for the key of readPublicKey. */
  encrypted_key: string
  /** Base64 of the 12 bytes of the AES-GCM nonce. */
  iv: string
  /** Base64 of the value encrypted with AES-256-GCM, tag at the end. The value has 4 bytes to 64 KiB of UTF-8. */
  ciphertext: string
}

export interface ExtendedSecretApproval {
  /** Identifier of the approval. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Kind of the consumer whose secrets may be used. */
  consumer_scope: "chatroom" | "department" | "company"
  /** Identifier of the consumer. */
  consumer_id: string
  /** Kind of the owner of the task. */
  owner_scope: "chatroom" | "department" | "company"
  /** Identifier of the owner of the task. */
  owner_id: string
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** Digest of exactly what was approved. */
  task_version_digest: string
  /** The sha256 of the sorted slot names with a line feed between them. */
  slot_set_hash: string
  /** Rises with each approval of the same version by the same consumer. */
  generation: number
  /** Where the approval is in its life. */
  state: "active" | "revoked"
  /** Whether it counts now. */
  active: boolean
  /** When it was created. */
  created_at: string
  /** When it was revoked; null if it was not. */
  revoked_at: string | null
  /** Further versions that it covers; null if it was given for its version alone. */
  next_versions: NextVersions | null
}

export interface ExtendedSecretApprovalList {
  /** Items on this page. */
  items: ExtendedSecretApproval[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
  /** Further approvals are on the next page. */
  truncated: boolean
}

export interface NextVersions {
  /** Until when versions are covered. */
  until: string
  /** Versions of this user alone are covered. */
  author_id: string
  /** The user who approved it. */
  approved_by: string
  /** Versions with a higher number are covered. */
  after_version_number: number
  /** Versions with exactly these slots are covered. */
  slot_names: string[]
  /** Runs in rooms that this share reaches are covered, if no narrower share does. */
  share_grant_id: string
  /** Whether it counts now. */
  active: boolean
  /** Why it counts no more; null while it does. */
  end_reason: "revoked" | "expired" | "other_author" | "other_slots" | "share_changed" | "author_left" | "approver_left" | null
  /** When the end was recorded, up to minutes after it; null before. */
  ended_at: string | null
}

export interface NextVersionsRequest {
  /** Kind of the consumer whose secrets may be used. */
  consumer_scope: "chatroom" | "department" | "company"
  /** Identifier of the consumer. */
  consumer_id: string
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** The published `canonical_digest`; another one gets 409. */
  task_version_digest: string
  /** Exactly the slots that runs get from this consumer. */
  slot_names: string[]
  /** Confirms that the code of the version will see the values. */
  risk_accepted: true
  /** Until when next versions are covered: at most 90 days ahead. */
  next_versions_until: string
}

export interface SecretApproval {
  /** Identifier of the approval. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Kind of the consumer whose secrets may be used. */
  consumer_scope: "chatroom" | "department" | "company"
  /** Identifier of the consumer. */
  consumer_id: string
  /** Kind of the owner of the task. */
  owner_scope: "chatroom" | "department" | "company"
  /** Identifier of the owner of the task. */
  owner_id: string
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** Digest of exactly what was approved. */
  task_version_digest: string
  /** The sha256 of the sorted slot names with a line feed between them. */
  slot_set_hash: string
  /** Rises with each approval of the same version by the same consumer. */
  generation: number
  /** Where the approval is in its life. */
  state: "active" | "revoked"
  /** Whether it counts now. */
  active: boolean
  /** When it was created. */
  created_at: string
  /** When it was revoked; null if it was not. */
  revoked_at: string | null
}

export interface SecretApprovalCreateRequest {
  /** Kind of the consumer whose secrets may be used. */
  consumer_scope: "chatroom" | "department" | "company"
  /** Identifier of the consumer. */
  consumer_id: string
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** The published `canonical_digest`; another one gets 409. */
  task_version_digest: string
  /** Exactly the slots that runs get from this consumer. */
  slot_names: string[]
  /** Confirms that the code of the version will see the values. */
  risk_accepted: true
}

export interface SecretApprovalList {
  /** Items on this page. */
  items: SecretApproval[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
  /** Further approvals are on the next page. */
  truncated: boolean
}

export interface SecretApprovalRevokeRequest {
  /** Why, for the record. */
  reason?: string
}

export interface SecretBinding {
  /** Identifier of the secret. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Kind of the consumer. */
  consumer_scope: "chatroom" | "department" | "company"
  /** Identifier of the consumer. */
  consumer_id: string
  /** Identifier of the task. */
  task_id: string
  /** Slot of the task: the name of the environment variable. */
  slot_name: string
  /** Rises with each new value. */
  generation: number
  /** Where the secret is in its life. */
  state: "pending" | "active" | "revoking" | "revoked"
  /** A value is stored. */
  has_provider_binding: boolean
}

export interface SecretBindingList {
  /** Items on this page. */
  items: SecretBinding[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
  /** Further secrets are on the next page. */
  truncated: boolean
}

export interface SecretOperation {
  /** Identifier of the change of a secret. */
  operation_id: string
  /** Kind of the operation. */
  operation_type: "create" | "rotate" | "revoke"
  /** How far it is. */
  operation_state: "prepared" | "applying" | "reconciling" | "applied" | "revoking" | "terminal"
  /** The secret after it, without its value. */
  binding: SecretBinding
}

export interface SecretRevokeRequest {
  /** Kind of the consumer: who the secret is supplied for, not the owner of the task. */
  consumer_scope: "chatroom" | "department" | "company"
  /** Identifier of the consumer. */
  consumer_id: string
  /** Identifier of the task. */
  task_id: string
  /** Slot of the task: the name of the environment variable. */
  slot_name: string
}

export interface SecretWriteRequest {
  /** Kind of the consumer: who the secret is supplied for, not the owner of the task. */
  consumer_scope: "chatroom" | "department" | "company"
  /** Identifier of the consumer. */
  consumer_id: string
  /** Identifier of the task. */
  task_id: string
  /** Slot of the task: the name of the environment variable. */
  slot_name: string
  /** The value, encrypted by the client; required. */
  encrypted_value?: EncryptedValue | null
  /** Always refused: a value is never sent as plain text. */
  value?: unknown
}

export interface Session {
  /** Identifier of the session. */
  id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Name for people. */
  name: string | null
  /** The person whom it belongs to. */
  created_by: string
  /** Bytes of its files. */
  byte_size: number
  /** Number of its files, folders and links. */
  file_count: number
  /** Bytes that its files may have together. */
  size_limit_bytes: number
  /** Rises with each change of its files. */
  revision: number
  /** The run that holds it, queued or running; null if none does. */
  run_id: string | null
  /** When it was created. */
  created_at: string
  /** When its files were changed, or a run that held it ended. */
  last_used_at: string
  /** Hours that it is kept after its last use. The default is `720`. */
  keep_hours: number
  /** When it is deleted, unless it is used before. */
  expires_at: string
}

export interface SessionCreateRequest {
  /** Name for people; need not be unique. */
  name?: string
  /** Bytes that its files may have together. By default, and at most, what the operator has set. */
  size_limit_bytes?: number
  /** Hours that it is kept after its last use. The default is `720`. */
  keep_hours?: number
  /** A session of the caller in the same room, whose files the new one starts with. */
  fork_of?: string
}

export interface SessionFile {
  /** Path below `/workspace/session`, without a slash at either end. */
  path: string
  /** `link`: a symbolic link, which no request follows. */
  kind: "file" | "folder" | "link"
  /** Bytes of a file; 0 for a folder or a link. */
  byte_size: number
  /** Whether a file may be executed by its owner. */
  is_executable: boolean
  /** Digest of the bytes of a file; otherwise null. */
  digest: string | null
  /** Target of a link, as the program wrote it; otherwise null. */
  target: string | null
}

export interface SessionFileList {
  /** Items on this page. */
  items: SessionFile[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface SessionFolderRequest {
  /** Path below `/workspace/session`, without a slash at either end. */
  path: string
}

export interface SessionList {
  /** Items on this page. */
  items: Session[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface SessionMoveRequest {
  /** Path of the file, folder or link that is moved. */
  from: string
  /** Its new path, where nothing may be yet. Missing folders are created. */
  to: string
}

export interface CommandExecuteRequest {
  /** Values of the inputs. */
  inputs: Record<string, unknown>
}

export interface CommandExecution {
  /** Identifier of the command. */
  command_id: string
  /** The row that was created, changed or found. */
  row_id?: string
  /** Always `applied`. */
  status: "applied"
  /** When the command took effect. */
  applied_at: string
  /** For `read`: the row that was found. */
  row?: {
    /** Identifier of the row. */
    id: string
    /** Identifier of the table. */
    table_id: string
    /** Rises with each change of the row. */
    version: number
    /** Chatroom that the row belongs to; null unless the table has a channel rule. */
    chatroom_id: string | null
    /** Values by field; a field without a value is left out. */
    values: Record<string, unknown>
    /** When the row was created. */
    created_at: string
    /** When the row was changed last. */
    updated_at: string
  }
}

export interface CommandOutputRequest {
  /** Values of the inputs of the command. */
  inputs: Record<string, unknown>
}

export interface CustomTable {
  /** Identifier of the table. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Kind of the owner. */
  owner_scope: "department" | "company"
  /** Identifier of the owner. */
  owner_id: string
  /** Name of the table. */
  name: string
  /** Meaning of the rows; may be empty. */
  description: string
  /** Fields in their order. */
  fields: TableField[]
  /** Rows change by commands alone: neither requests nor writeback policies write them. */
  commands_only: boolean
  /** Rows belong to chatrooms: each names one, and the people of a chatroom read its rows. Writeback policies do not write them. */
  channel_rule: boolean
  /** Rows that the table has. */
  row_count: number
  /** Where the table is in its life. */
  state: "active" | "archived"
  /** When it was created. */
  created_at: string
}

export interface CustomTableCreateRequest {
  /** Name of the table. */
  name: string
  /** Meaning of the rows. */
  description?: string
  /** Kind of the owner. */
  owner_scope: "department" | "company"
  /** Identifier of the owner. */
  owner_id: string
  /** Fields, at most 200. */
  fields: TableFieldRequest[]
  /** Rows change by commands alone: neither requests nor writeback policies write them. */
  commands_only?: boolean
  /** Rows belong to chatrooms: each names one, and the people of a chatroom read its rows. Writeback policies do not write them. */
  channel_rule?: boolean
}

export interface CustomTableList {
  /** Items on this page. */
  items: CustomTable[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface CustomTableUpdateRequest {
  /** Name of the table. */
  name?: string
  /** Meaning of the rows. */
  description?: string
  /** Rows change by commands alone: neither requests nor writeback policies write them. */
  commands_only?: boolean
  /** Rows belong to chatrooms: each names one, and the people of a chatroom read its rows. Writeback policies do not write them. */
  channel_rule?: boolean
}

export interface TableCommand {
  /** Identifier of the command. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Identifier of the table. */
  table_id: string
  /** Name of the command. */
  name: string
  /** Its purpose; may be empty. */
  description: string
  /** Rises with each change; a run whose policy names older inputs is refused. */
  revision: number
  /** Inputs: fields of the table, with their types. */
  inputs: TableField[]
  /** `write` creates or changes one row; `read` returns the row with these values. */
  mode: "write" | "read"
  /** `definition`: it acts as its definition says, for whoever may use it; `caller`: only for callers who may write rows themselves. */
  authority: "definition" | "caller"
  /** Required inputs that name the row: a call with the same values changes the row that an earlier call created. Without them each call creates a row. */
  effect_identity: string[] | null
  /** People who may use it: those of one chatroom, of the chatrooms of a department, or of the company. */
  granted_scope: "chatroom" | "department" | "company"
  /** Identifier of that chatroom, department or company. */
  granted_id: string
  /** Where the command is in its life. */
  state: "active" | "archived"
  /** When it was created. */
  created_at: string
}

export interface TableCommandCreateRequest {
  /** Name of the command. */
  name: string
  /** Its purpose. */
  description?: string
  /** Inputs: fields of the table, with their types. */
  inputs: TableFieldRequest[]
  /** `write` creates or changes one row; `read` returns the row with these values. */
  mode?: "write" | "read"
  /** `definition`: it acts as its definition says, for whoever may use it; `caller`: only for callers who may write rows themselves. */
  authority?: "definition" | "caller"
  /** Required inputs that name the row: a call with the same values changes the row that an earlier call created. Without them each call creates a row. */
  effect_identity?: string[] | null
  /** People who may use it: those of one chatroom, of the chatrooms of a department, or of the company. */
  granted_scope: "chatroom" | "department" | "company"
  /** Identifier of that chatroom, department or company. */
  granted_id: string
}

export interface TableCommandList {
  /** Items on this page. */
  items: TableCommand[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface TableCommandUpdateRequest {
  /** Name of the command. */
  name?: string
  /** Its purpose. */
  description?: string
  /** Inputs: fields of the table, with their types. */
  inputs?: TableFieldRequest[]
  /** `write` creates or changes one row; `read` returns the row with these values. */
  mode?: "write" | "read"
  /** `definition`: it acts as its definition says, for whoever may use it; `caller`: only for callers who may write rows themselves. */
  authority?: "definition" | "caller"
  /** Required inputs that name the row: a call with the same values changes the row that an earlier call created. Without them each call creates a row. */
  effect_identity?: string[] | null
  /** People who may use it: those of one chatroom, of the chatrooms of a department, or of the company. */
  granted_scope?: "chatroom" | "department" | "company"
  /** Identifier of that chatroom, department or company. */
  granted_id?: string
}

export interface TableField {
  /** Name: lower-case letters, digits and `_`; not `id`, `version`, `chatroom_id`, `created_at` or `updated_at`. */
  name: string
  /** Type of its values. `integer` is exact to 2^53; `datetime` is an instant with an offset, stored in UTC; `json` is any JSON. */
  type: "text" | "integer" | "number" | "boolean" | "datetime" | "json"
  /** Every row has a value. */
  required: boolean
}

export interface TableFieldRequest {
  /** Name: lower-case letters, digits and `_`; not `id`, `version`, `chatroom_id`, `created_at` or `updated_at`. */
  name: string
  /** Type of its values. `integer` is exact to 2^53; `datetime` is an instant with an offset, stored in UTC; `json` is any JSON. */
  type: "text" | "integer" | "number" | "boolean" | "datetime" | "json"
  /** Every row must have a value; by default false. */
  required?: boolean
}

export interface TableFieldsAddRequest {
  /** Fields to add at the end; while the table has rows, none may be required. */
  fields: TableFieldRequest[]
}

export interface TableRow {
  /** Identifier of the row. */
  id: string
  /** Identifier of the table. */
  table_id: string
  /** Rises with each change of the row. */
  version: number
  /** Chatroom that the row belongs to; null unless the table has a channel rule. */
  chatroom_id: string | null
  /** Values by field; a field without a value is left out. */
  values: Record<string, unknown>
  /** When the row was created. */
  created_at: string
  /** When the row was changed last. */
  updated_at: string
}

export interface TableRowCreateRequest {
  /** Values by field. */
  values: Record<string, unknown>
  /** Chatroom that the row belongs to; required for a table with a channel rule, refused for any other. */
  chatroom_id?: string
}

export interface TableRowDeleted {
  /** Identifier of the row. */
  id: string
  /** Always true. */
  deleted: true
}

export interface TableRowList {
  /** Items on this page. */
  items: TableRow[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface TableRowUpdateRequest {
  /** Values to change; null removes one. The other values stay. */
  values: Record<string, unknown>
  /** The version that was read: a row that has changed since is not overwritten. */
  version?: number
}

export interface TableTrigger {
  /** Identifier of the trigger. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Identifier of the table. */
  table_id: string
  /** Name of the trigger. */
  name: string
  /** Its purpose; may be empty. */
  description: string
  /** Which changes of rows start a run. */
  events: ("create" | "update")[]
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** Input of the runs: JSON in which texts have placeholders. A text that is one placeholder becomes its value, of any type, and null without one: `{{event}}`, `{{table_id}}`, `{{row_id}}`, `{{row_version}}`, `{{values}}` for all values, `{{values.NAME}}` for one. In a longer text a placeholder becomes text. */
  input_template: unknown
  /** Seconds that each run may take; null: as long as the version says. */
  timeout_seconds: number | null
  /** The person who declared it, or changed it last: the runs have the authority of this person, as it is when they start. */
  run_as: string
  /** Where the trigger is in its life. */
  state: "active" | "archived"
  /** Why the last refused event started no run; null if none was refused. */
  last_error_code: string | null
  /** When that was. */
  last_refused_at: string | null
  /** When it was created. */
  created_at: string
}

export interface TableTriggerCreateRequest {
  /** Name of the trigger. */
  name: string
  /** Its purpose. */
  description?: string
  /** Which changes of rows start a run. */
  events: ("create" | "update")[]
  /** Chatroom in which the runs are. The task is shared with it. */
  chatroom_id: string
  /** Version that runs. It must not require a confirmation. */
  task_version_id: string
  /** Input of the runs: JSON in which texts have placeholders. A text that is one placeholder becomes its value, of any type, and null without one: `{{event}}`, `{{table_id}}`, `{{row_id}}`, `{{row_version}}`, `{{values}}` for all values, `{{values.NAME}}` for one. In a longer text a placeholder becomes text. Without it: all of these by their names. */
  input_template?: unknown
  /** Seconds that each run may take; null: as long as the version says. */
  timeout_seconds?: number | null
}

export interface TableTriggerList {
  /** Items on this page. */
  items: TableTrigger[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface TableTriggerUpdateRequest {
  /** Name of the trigger. */
  name?: string
  /** Its purpose. */
  description?: string
  /** Which changes of rows start a run. */
  events?: ("create" | "update")[]
  /** Chatroom in which the runs are. The task is shared with it. */
  chatroom_id?: string
  /** Version that runs. It must not require a confirmation. */
  task_version_id?: string
  /** Input of the runs: JSON in which texts have placeholders. A text that is one placeholder becomes its value, of any type, and null without one: `{{event}}`, `{{table_id}}`, `{{row_id}}`, `{{row_version}}`, `{{values}}` for all values, `{{values.NAME}}` for one. In a longer text a placeholder becomes text. Without it: all of these by their names. */
  input_template?: unknown
  /** Seconds that each run may take; null: as long as the version says. */
  timeout_seconds?: number | null
}

export interface TriggerEvent {
  /** Identifier of the row event. */
  id: string
  /** Identifier of the trigger. */
  trigger_id: string
  /** The change of the row. */
  event: "create" | "update"
  /** Identifier of the row. */
  row_id: string
  /** Version of the row after the change. */
  row_version: number
  /** 1 if a person or program changed the row; one more than that of the run that did. */
  chain: number
  /** `waiting` until its run is queued; `refused` if there is none. */
  status: "waiting" | "started" | "refused"
  /** The run. */
  run_id: string | null
  /** Why it was refused: `authority_revoked`, `trigger_chain_too_long`, `trigger_input_invalid`, `trigger_event_expired`, `restored_from_backup`, or the code that refuses a submission. */
  error_code: string | null
  /** When the row changed. */
  created_at: string
  /** When the run was queued, or the event refused. */
  handled_at: string | null
}

export interface TriggerEventList {
  /** Items on this page. */
  items: TriggerEvent[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface WritebackRequest {
  /** The operation; `update` only where the policy allows it. */
  op: "create" | "update"
  /** The row to change; required for `update`, refused for `create`. */
  row_id?: string
  /** Values by field. */
  values: Record<string, unknown>
  /** Name of this effect within the run: a repeated call with it changes nothing more. A run that creates several rows names each. */
  client_row_key?: string
}

export interface WritebackResult {
  /** The operation. */
  op: "create" | "update"
  /** The row that was created or changed. */
  row_id: string
  /** Version of the row after it. */
  version: number
  /** Always `applied`. */
  status: "applied"
  /** When it took effect. */
  applied_at: string
}

export interface Binding {
  /** Identifier of the binding. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Identifier of the task. */
  task_id: string
  /** The version that the room has pinned. */
  task_version_id: string
  /** Rises each time the room enables the task again. */
  generation: number
  /** Generation of the share that it came from. */
  share_generation: number
  /** Authority generation of the room when it was enabled. */
  target_authority_generation: number
  /** Where the binding is in its life. */
  state: "enabled" | "revoked"
  /** A newer version is published; the pin never moves by itself. */
  update_available: boolean
  /** False after the room moved or was deleted: the binding no longer counts. */
  authority_applicable: boolean
  /** When the pinned version was accepted. */
  accepted_at: string | null
  /** When it was revoked; null if it was not. */
  revoked_at: string | null
}

export interface BindingAcceptVersionRequest {
  /** A newer published version of the same task. */
  task_version_id: string
}

export interface BindingCreateRequest {
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Identifier of the task. */
  task_id: string
  /** The version to pin: published and active. */
  task_version_id: string
}

export interface BindingList {
  /** Items on this page. */
  items: Binding[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
  /** Further bindings are on the next page. */
  truncated: boolean
}

export interface BindingRevokeRequest {
  /** Why, for the record. */
  reason?: string
}

export interface BundleUpload {
  /** Identifier of the uploaded bundle. */
  id: string
  /** Name of the sent file, for display; never a path on the service. */
  filename: string
  /** Digest of the file. */
  sha256: string
  /** Until when drafts may refer to it: 24 hours. */
  expires_at: string
  /** Bytes of the archive, at most 64 MiB. */
  byte_size: number
  /** Files and links in it, without folders. */
  file_count: number
}

export interface ChatroomJobs {
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Jobs that the room's agent loads; null: the platform decides; empty: none. */
  jobs: "sandbox"[] | null
  /** When it was last set; null if it never was. */
  updated_at: string | null
}

export interface ChatroomJobsUpdate {
  /** Jobs that the room's agent loads; null: the platform decides; empty: none. */
  jobs: "sandbox"[] | null
}

export interface GrantedJob {
  /** Identifier of the task. */
  task_id: string
  /** Name of the task. */
  task_name: string
  /** Purpose of the task. */
  task_description: string
  /** Kind of the owner of the task. */
  owner_scope: "chatroom" | "department" | "company"
  /** Identifier of the owner of the task. */
  owner_id: string
  /** Secrets of the pinned version if enabled, otherwise of the published one. */
  secret_slots: SecretSlotStatus[]
  /** Whether the room has enabled it. */
  enabled: boolean
  /** The binding; null if it is not enabled. */
  binding_id: string | null
  /** The pinned version; null if it is not enabled. */
  pinned_task_version_id: string | null
  /** The newest published version; null if there is none. */
  current_published_version_id: string | null
  /** A newer version than the pinned one is published. */
  update_available: boolean
}

export interface GrantedJobEnableRequest {
  /** The version to pin; by default the newest published one. */
  task_version_id?: string | null
}

export interface GrantedJobList {
  /** Tasks on this page. */
  items: GrantedJob[]
  /** Tasks that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
  /** Identifier of the chatroom. */
  chatroom_id: string
}

export interface InputPreview {
  /** The inputs file, byte for byte. */
  input_file_content: string
  /** Digest of the input in its canonical form. */
  input_digest: string
  /** Environment that the scripts of the version find. */
  runtime_contract: RuntimeContract
  /** The input fits the version's schema, or there is none. */
  schema_valid: boolean
  /** Problems of the input, at most 20. */
  schema_errors: ({
    /** Keyword of JSON Schema that failed. */
    type: string
    /** Path of the value in the input. */
    loc: (string | number)[]
    /** The problem, for people. */
    msg: string
  })[]
}

export interface InputPreviewRequest {
  /** Any JSON, at most 1 MiB. */
  input: unknown
}

export interface ItemCount {
  /** How many there are. */
  num: number
}

export interface JobChatroom {
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Jobs that the room's agent loads; null: the platform decides; empty: none. */
  jobs: "sandbox"[] | null
  /** When it was last set; null if it never was. */
  updated_at: string | null
  /** Name of the room. */
  name: string
  /** Identifier of the department. */
  department_id: string
}

export type JobChatroomList = JobChatroom[]

export interface Menu {
  /** Items on this page. */
  items: MenuItem[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface MenuItem {
  /** Identifier of the task. */
  task_id: string
  /** Name of the task. */
  task_name: string
  /** Purpose of the task. */
  task_description: string
  /** Kind of the owner of the task. */
  owner_scope: "chatroom" | "department" | "company"
  /** Identifier of the owner of the task. */
  owner_id: string
  /** The version to submit. */
  task_version_id: string
  /** Digest of exactly this version, for approvals. */
  task_version_digest: string
  /** Number of the version, from 1. */
  version_number: number
  /** Only published versions are on the menu. */
  version_state: "published"
  /** Instructions for the input, for people and models; null without. */
  input_instructions: string | null
  /** An input that works, as JSON text; null without. */
  input_example: string | null
  /** JSON Schema of the input, as text; null without. */
  input_schema: string | null
  /** Names of the secrets that the version declares. */
  secret_slot_names: string[]
  /** The same with who supplies them. */
  secret_slots: SecretSlotStatus[]
  /** Deadline of a run, in seconds from its start. */
  timeout_seconds: number
  /** A person must confirm what an agent submits. */
  requires_confirmation: boolean
  /** A newer version is published. */
  update_available: boolean
  /** Warning for who supplies secrets to it; null if nobody does. */
  secret_use_risk_warning: string | null
  /** Environment that its scripts find; always with the default driver. */
  runtime_contract: RuntimeContract | null
  /** The menu never shows scripts. */
  source_visible: false
}

export interface ScriptUpload {
  /** Identifier of the uploaded script. */
  id: string
  /** Name of the sent file, for display; never a path on the service. */
  filename: string
  /** Digest of the file. */
  sha256: string
  /** Until when drafts may refer to it: 24 hours. */
  expires_at: string
  /** Bytes of the script, at most 1 MiB. */
  byte_size: number
}

export interface SecretSlotStatus {
  /** Name of the environment variable. */
  name: string
  /** Supplier of the value, as the share says. */
  policy: "borrower" | "owner" | "owner_overridable"
  /** The borrower has set a value. */
  borrower_bound: boolean
  /** The owner has set a value. */
  owner_bound: boolean
  /** Supplier of the value to a run that is submitted now. */
  effective_source: "borrower" | "owner" | "missing"
}

export interface ShareCreateRequest {
  /** Kind of who to share with. */
  target_kind: "chatroom" | "department" | "company"
  /** Identifier of who to share with. */
  target_id: string
  /** Supplier of each secret, by slot: `borrower` (default), `owner` or `owner_overridable`. */
  secret_slot_policies?: Record<string, unknown> | null
}

export interface ShareGrant {
  /** Identifier of the share. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Identifier of the task. */
  task_id: string
  /** Kind of who the task is shared with. */
  target_kind: "chatroom" | "department" | "company"
  /** Identifier of who it is shared with. */
  target_id: string
  /** Rises each time the task is shared again with the same target. */
  generation: number
  /** Where the share is in its life. */
  state: "active" | "revoked"
  /** Whether it counts now. */
  active: boolean
  /** False if the target moved, was deleted, or has a newer authority generation. */
  authority_applicable: boolean
  /** Authority generation of the owner at the time of sharing. */
  owner_authority_generation: number
  /** Authority generation of the target at the time of sharing. */
  target_authority_generation: number
  /** When it was revoked; null if it was not. */
  revoked_at: string | null
  /** Why it was revoked; empty without a reason. */
  revoke_reason: string
  /** Supplier of each secret, by slot; null: the borrower. */
  secret_slot_policies: Record<string, "borrower" | "owner" | "owner_overridable"> | null
}

export interface ShareGrantList {
  /** Items on this page. */
  items: ShareGrant[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface ShareRevokeRequest {
  /** Why, for the record. */
  reason?: string
}

export interface Task {
  /** Identifier of the task. */
  id: string
  /** Identifier of the company. */
  company_id: string
  /** Kind of the owner. */
  owner_scope: "chatroom" | "department" | "company"
  /** Identifier of the owner. */
  owner_id: string
  /** Name of the task. */
  name: string
  /** Purpose of the task; may be empty. */
  description: string
  /** Kept for older clients; it puts nothing on a menu. */
  agent_enabled: boolean
  /** Where the task is in its life. */
  state: "active" | "archived"
  /** `blocked`: the operator has blocked it. */
  security_state: "clear" | "blocked"
  /** Newest published version; null if there is none. */
  current_published_version_id: string | null
  /** Newest draft; null if there is none. */
  current_draft_version_id: string | null
}

export interface TaskCreateRequest {
  /** Name of the task. */
  name: string
  /** Purpose of the task. */
  description?: string
  /** Kind of the owner. */
  owner_scope: "department" | "company"
  /** Identifier of the owner. */
  owner_id: string
  /** Kept for older clients; it puts nothing on a menu. */
  agent_enabled?: boolean
}

export interface TaskList {
  /** Items on this page. */
  items: Task[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export type TaskRunHistory = TaskRunHistoryItem[]

export interface TaskRunHistoryItem {
  /** Identifier of the run. */
  id: string
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the task version. */
  task_version_id: string
  /** Where the run is in its life. */
  status: "queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled"
  /** When it was queued. */
  queued_at: string | null
  /** When it started; null if it did not. */
  started_at: string | null
  /** When it ended; null until then. */
  terminal_at: string | null
  /** Seconds from start to end; null until both are known. */
  duration_seconds: number | null
  /** US dollars as a decimal number; null until the cost is settled. */
  cost_usd: string | null
  /** `internal_user` of the company, or `external_user` of a messaging channel. */
  executor_kind: "internal_user" | "external_user"
  /** Identifier of who ran it, by its kind. */
  executor_id: string
  /** Name of who ran it. */
  executor_display_name: string
  /** Where it came from: a room, a table of a department, or a messaging channel. */
  source_kind: "chatroom" | "department" | "external_platform"
  /** Identifier of the chatroom. */
  chatroom_id: string
  /** Name of the room. */
  chatroom_name: string
  /** Department that the room is in now. */
  department_id: string
  /** Name of the department. */
  department_name: string
  /** Messaging channel or agent that it came through; null for others. */
  external_platform: "line" | "messenger" | "whatsapp" | "agent" | null
  /** Submitted by a chat agent, or in any other way. */
  method: "agent" | "manual"
  /** How it was submitted; empty if unknown. */
  submission_source: "" | "rest" | "agent" | "quick_run" | "custom_table_trigger"
  /** Processors, memory and disk of the run. */
  resource_profile: "standard" | "performance" | "large" | "xlarge"
  /** Code of the failure, such as `timeout`; empty without one. */
  error_code: string
}

export interface TaskUpdateRequest {
  /** New name. */
  name?: string
  /** Purpose of the task; may be empty. */
  description?: string
  /** Kept for older clients; it puts nothing on a menu. */
  agent_enabled?: boolean
}

export interface TaskVersion {
  /** Identifier of the task version. */
  id: string
  /** Identifier of the task. */
  task_id: string
  /** Identifier of the company. */
  company_id: string
  /** Number of the version in its task, from 1. */
  version_number: number
  /** Where the version is in its life. */
  state: "draft" | "published" | "archived"
  /** `scrubbed`: its content is gone for good, and it can never run again. */
  content_state: "active" | "scrubbed"
  /** Environment version that it runs on. */
  environment_version_id: string
  /** Environment of that version; empty if it no longer exists. */
  environment_id: string
  /** Name of that environment; empty if it no longer exists. */
  environment_name: string
  /** Deadline of a run, in seconds from its start. */
  timeout_seconds: number
  /** A person must confirm what an agent submits. */
  requires_confirmation: boolean
  /** Names of the secrets that it declares. */
  secret_slot_names: string[]
  /** Digest of exactly what it is; approvals name it. */
  canonical_digest: string
  /** Digest of its content. */
  content_hash: string
  /** When it was published; null for a draft. */
  published_at: string | null
  /** When it was archived; null if it was not. */
  archived_at: string | null
  /** A newer version is published. */
  update_available: boolean
  /** Instructions for the input, for people and models; null without. */
  input_instructions: string | null
  /** An input that works, as JSON text; null without. */
  input_example: string | null
  /** JSON Schema of the input, as text; null without. */
  input_schema: string | null
  /** Environment that its scripts find. */
  runtime_contract: RuntimeContract | null
  /** False: the fields that follow are null because they are hidden. */
  source_visible: boolean
  /** Script that is evaluated first. */
  startup_script: string | null
  /** Script that does the work, as `/workspace/work.sh`. */
  work_script: string | null
  /** Line that is evaluated after the startup script; null: `. /workspace/work.sh`. */
  work_command: string | null
  /** Environment variables that are not secret. */
  ordinary_env: Record<string, string> | null
  /** The secrets as declared; may contain older forms. */
  secret_slot_declarations: unknown[] | null
  /** Permission of a run to write back; may contain older forms. */
  output_policy: unknown
  /** Bundle of files that it has in `/workspace`; null without. */
  bundle_id: string | null
}

export interface TaskVersionCreateRequest {
  /** Environment version to run on; it must be `ready`. */
  environment_version_id: string
  /** Script that is evaluated first, at most 1 MiB. */
  startup_script?: string
  /** Script that does the work, as `/workspace/work.sh`, at most 1 MiB. */
  work_script?: string
  /** Uploaded script instead of `startup_script`. */
  startup_script_id?: string | null
  /** Uploaded script instead of `work_script`. */
  work_script_id?: string | null
  /** Environment variables that are not secret. They are checked when a run is claimed. */
  ordinary_env?: Record<string, string> | null
  /** Instructions for the input, for people and models. */
  input_instructions?: string | null
  /** An input that works, as JSON text. It must fit `input_schema`. */
  input_example?: string | null
  /** JSON Schema (2020-12) of the input, as text, at most 64 KiB. */
  input_schema?: string | null
  /** Line that is evaluated after the startup script, at most 4096 bytes; by default `. /workspace/work.sh`. */
  work_command?: string | null
  /** Deadline of a run, in seconds from its start; by default 1800. */
  timeout_seconds?: number
  /** Secrets that runs get as environment variables: names, or objects with `name`. */
  secret_slot_declarations?: (string | {
    /** Name of the environment variable. */
    name: string
  })[] | null
  /** A person must confirm what an agent submits; by default false. */
  requires_confirmation?: boolean
  /** Permission of a run to write back; only for tasks of a department. */
  output_policy?: OutputPolicy | null
  /** Uploaded bundle, whose files are unpacked below `/workspace`. */
  bundle_id?: string | null
}

export interface TaskVersionList {
  /** Items on this page. */
  items: TaskVersion[]
  /** Items that a page may have. */
  page_size: number
  /** Token of the next page; null on the last. */
  next_page_token: string | null
}

export interface TaskVersionUpdateRequest {
  /** Environment version to run on; it must be `ready`. */
  environment_version_id?: string
  /** Script that is evaluated first, at most 1 MiB. */
  startup_script?: string
  /** Script that does the work, as `/workspace/work.sh`, at most 1 MiB. */
  work_script?: string
  /** Uploaded script instead of `startup_script`. */
  startup_script_id?: string | null
  /** Uploaded script instead of `work_script`. */
  work_script_id?: string | null
  /** Environment variables that are not secret. They are checked when a run is claimed. */
  ordinary_env?: Record<string, string> | null
  /** Instructions for the input, for people and models. */
  input_instructions?: string | null
  /** An input that works, as JSON text. It must fit `input_schema`. */
  input_example?: string | null
  /** JSON Schema (2020-12) of the input, as text, at most 64 KiB. */
  input_schema?: string | null
  /** Line that is evaluated after the startup script, at most 4096 bytes; by default `. /workspace/work.sh`. */
  work_command?: string | null
  /** Deadline of a run, in seconds from its start; by default 1800. */
  timeout_seconds?: number
  /** Secrets that runs get as environment variables: names, or objects with `name`. */
  secret_slot_declarations?: (string | {
    /** Name of the environment variable. */
    name: string
  })[] | null
  /** A person must confirm what an agent submits; by default false. */
  requires_confirmation?: boolean
  /** Permission of a run to write back; only for tasks of a department. */
  output_policy?: OutputPolicy | null
  /** Uploaded bundle, whose files are unpacked below `/workspace`. */
  bundle_id?: string | null
}

export interface CodedErrorBody {
  /** The error; some codes add fields. */
  detail: {
    /** Stable code of the error. */
    code: string
    /** The error, for people. */
    message: string
    [field: string]: unknown
  }
}

export interface ValidationError {
  /** Every problem that was found. */
  detail: ({
    /** Kind of the problem. */
    type: string
    /** Path of the value, from `body`, `query`, `path` or `header`. */
    loc: (string | number)[]
    /** The problem, for people. It never repeats the value. */
    msg: string
  })[]
}

/** Every operation of the API. */
export interface Operations {
  /**
   * List the regions of the deployment.
   *
   * Every code that `build_region` and `allowed_regions` may name. An on-premises deployment has exactly one region, `onprem`.
   *
   * Needs no login.
   */
  listRegions(options?: CallOptions): Promise<RegionSet>

  /**
   * List the resource profiles.
   *
   * Processors, memory and disk that a run gets, by the name that an environment version chooses.
   *
   * Needs no login.
   */
  listProfiles(options?: CallOptions): Promise<ProfileSet>

  /**
   * Read the public key with which clients encrypt secrets for the service.
   *
   * Wrap a random AES-256 key with it to send a secret, see `EncryptedValue`. The service alone has the private key.
   *
   * Needs no login.
   */
  readPublicKey(options?: CallOptions): Promise<PublicKey>

  /**
   * Log in with login name and password; both wrong and unknown ones answer 418.
   *
   * The password grant of OAuth 2.0, as a form. Send the token as `Authorization: Bearer` until it expires.
   *
   * Needs no login.
   */
  createToken(options: {
    body: TokenRequest
  } & CallOptions): Promise<Token>

  /**
   * Read the account of the caller and its permissions.
   *
   * The identity of the caller, and which parts of a user interface make sense for it. Every request is checked again.
   *
   * For every user of the company. A sandbox key may not.
   */
  readMe(options?: CallOptions): Promise<Me>

  /**
   * List environments, curated ones included.
   *
   * Those of the company, and the curated ones of the operator.
   *
   * For every user of the company. A sandbox key may not.
   */
  listEnvironments(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<EnvironmentList>

  /**
   * Create an environment.
   *
   * An environment is a name for images; upload an archive and create a version next.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createEnvironment(options: {
    body: EnvironmentCreateRequest
  } & CallOptions): Promise<Environment>

  /**
   * Read an environment.
   *
   * Curated environments can be read by everybody in a company.
   *
   * For every user of the company. A sandbox key may not.
   */
  readEnvironment(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
  } & CallOptions): Promise<Environment>

  /**
   * Change name or description.
   *
   * Send only what changes, at least one field. The owner cannot change.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  updateEnvironment(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
    body: EnvironmentUpdateRequest
  } & CallOptions): Promise<Environment>

  /**
   * Archive an environment.
   *
   * Lists leave it out from then on, and it takes no new versions.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  archiveEnvironment(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
  } & CallOptions): Promise<Environment>

  /**
   * List the versions of an environment.
   *
   * Versions that failed stay in the list until they are archived.
   *
   * For every user of the company. A sandbox key may not.
   */
  listEnvironmentVersions(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<EnvironmentVersionList>

  /**
   * Create an immutable version from an uploaded archive.
   *
   * The version is a `draft` until a build is queued with createBuild. It never changes; a correction is a new version.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createEnvironmentVersion(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
    body: EnvironmentVersionCreateRequest
  } & CallOptions): Promise<EnvironmentVersion>

  /**
   * Read a version; poll it until ready.
   *
   * `build_next_action` says what to do when the build failed. To follow a build instead of polling, use followBuildEvents.
   *
   * For every user of the company. A sandbox key may not.
   */
  readEnvironmentVersion(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
  } & CallOptions): Promise<EnvironmentVersion>

  /**
   * Archive a version.
   *
   * Lists leave it out from then on. Cancel its build first, if one is running.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  archiveEnvironmentVersion(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
  } & CallOptions): Promise<EnvironmentVersion>

  /**
   * Build a failed version again, within seven days.
   *
   * For versions in the state `retryable_failed`, until `retryable_until` of the last build. A rejected archive needs a new version instead.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  retryBuild(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
  } & CallOptions): Promise<BuildAttempt>

  /**
   * Verify and distribute the image of a built version again.
   *
   * For versions whose image was built, but is not ready in a region.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  retryProvisioning(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
  } & CallOptions): Promise<EnvironmentVersion>

  /**
   * Queue one build.
   *
   * A version has at most one build at a time. The build runs the Dockerfile, scans the image, signs it and places it.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createBuild(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
    body?: BuildAttemptCreateRequest
  } & CallOptions): Promise<BuildAttempt>

  /**
   * List the builds of a version.
   *
   * All attempts, also those that failed.
   *
   * For every user of the company. A sandbox key may not.
   */
  listBuilds(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Only builds in one of these states. */
      status?: ("validation_queued" | "validating" | "build_queued" | "building" | "verifying" | "completed" | "customer_failed" | "platform_failed" | "cancel_requested" | "cancelling" | "cancelled")[]
    }
  } & CallOptions): Promise<BuildAttemptList>

  /**
   * Read a build; poll it until terminal_class is set.
   *
   * `next_action` says what to do when it failed. To follow it instead of polling, use followBuildEvents.
   *
   * For every user of the company. A sandbox key may not.
   */
  readBuild(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
      /** Identifier of the build. */
      aid: string
    }
  } & CallOptions): Promise<BuildAttempt>

  /**
   * Cancel a build that has not ended.
   *
   * The build ends as `cancelled` soon after, whatever else happens to it. Repeating the request changes nothing.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  cancelBuild(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
      /** Identifier of the build. */
      aid: string
    }
  } & CallOptions): Promise<BuildAttempt>

  /**
   * List received archives and the versions made from them.
   *
   * An archive that no version uses is deleted at `expires_at`.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listContextObjects(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<ContextObjectList>

  /**
   * Open an upload session.
   *
   * The answer has a token for putContextUpload. A session lasts 24 hours, a company has at most 20 unfinished ones and may open 5 a minute.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  initContextUpload(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
    body: ContextUploadInitRequest
  } & CallOptions): Promise<ContextUploadInit>

  /**
   * Read an upload session.
   *
   * `completing` means that complete was tried and a check failed: try it again, or abort.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readContextUpload(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the upload session. */
      sid: string
    }
  } & CallOptions): Promise<ContextUploadSession>

  /**
   * Send the bytes of the archive.
   *
   * The body is the archive itself, not JSON. A repeat replaces what was sent before.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  putContextUpload(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the upload session. */
      sid: string
    }
    headers: {
      /** The `capability_token` of initContextUpload. */
      "X-Sandbox-Upload-Capability": string
    }
    /** The bytes. A stream is sent once: the call is not repeated. */
    upload: UploadBody
  } & CallOptions): Promise<ContextUploadPut>

  /**
   * Check the received bytes and get the archive as an object.
   *
   * The identifier in the answer, `owned_object_id`, makes an environment version.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  completeContextUpload(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the upload session. */
      sid: string
    }
    body?: ContextUploadCompleteRequest
  } & CallOptions): Promise<ContextUploadComplete>

  /**
   * Drop an unfinished session and free its slot.
   *
   * The bytes are deleted. A completed session cannot be aborted.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  abortContextUpload(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the upload session. */
      sid: string
    }
  } & CallOptions): Promise<ContextUploadSession>

  /**
   * List tasks.
   *
   * In the order of creation. Hidden tasks of quick runs are left out.
   *
   * For every user of the company. A sandbox key may not.
   */
  listTasks(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<TaskList>

  /**
   * Create a catalog task.
   *
   * A task is a name for versions; create and publish a version next, then share the task.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createTask(options: {
    body: TaskCreateRequest
  } & CallOptions): Promise<Task>

  /**
   * Read a task.
   *
   * The owner and everybody whom a share reaches may read it.
   *
   * For who may use the task through a share, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readTask(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
  } & CallOptions): Promise<Task>

  /**
   * Change name, description or agent_enabled.
   *
   * Send only what changes, at least one field. The owner cannot change.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  updateTask(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    body: TaskUpdateRequest
  } & CallOptions): Promise<Task>

  /**
   * Archive a task with its versions, bindings and queued runs.
   *
   * Nobody can run it from then on: its versions are archived, its bindings revoked and its queued runs cancelled.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  archiveTask(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
  } & CallOptions): Promise<Task>

  /**
   * List the versions of a task.
   *
   * In the order of creation. Scripts and declarations are hidden from callers that do not own the task.
   *
   * For who may use the task through a share, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listTaskVersions(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<TaskVersionList>

  /**
   * Create a draft.
   *
   * A draft can be changed until it is published. Files come from uploadScript and uploadBundle.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createTaskVersion(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    body: TaskVersionCreateRequest
  } & CallOptions): Promise<TaskVersion>

  /**
   * Read a version.
   *
   * If `source_visible` is false, scripts are null because they are hidden.
   *
   * For who may use the task through a share, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readTaskVersion(options: {
    params: {
      /** Identifier of the task. */
      id: string
      /** Identifier of the task version. */
      vid: string
    }
  } & CallOptions): Promise<TaskVersion>

  /**
   * Change a draft.
   *
   * Send only what changes, at least one field. Null clears a field that may be empty.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  updateTaskVersion(options: {
    params: {
      /** Identifier of the task. */
      id: string
      /** Identifier of the task version. */
      vid: string
    }
    body: TaskVersionUpdateRequest
  } & CallOptions): Promise<TaskVersion>

  /**
   * Publish a draft; it never changes again.
   *
   * A change of a published version is a new version. Rooms that have pinned an older one keep it.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  publishTaskVersion(options: {
    params: {
      /** Identifier of the task. */
      id: string
      /** Identifier of the task version. */
      vid: string
    }
  } & CallOptions): Promise<TaskVersion>

  /**
   * Archive a version.
   *
   * Nobody can run it from then on. Runs that have started go on.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  archiveTaskVersion(options: {
    params: {
      /** Identifier of the task. */
      id: string
      /** Identifier of the task version. */
      vid: string
    }
  } & CallOptions): Promise<TaskVersion>

  /**
   * List the shares of a task, revoked ones included.
   *
   * Filter with `lifecycle` for live ones.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listShares(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<ShareGrantList>

  /**
   * Share a task with a chatroom, a department or the company.
   *
   * Rooms that the share reaches may run the task by REST at once; enable it in a room to put it on the menu and into the hands of agents.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createShare(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    body: ShareCreateRequest
  } & CallOptions): Promise<ShareGrant>

  /**
   * Revoke a share.
   *
   * Bindings that came from it no longer count, and queued runs under it do not start.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeShare(options: {
    params: {
      /** Identifier of the task. */
      id: string
      /** Identifier of the share. */
      gid: string
    }
    body?: ShareRevokeRequest
  } & CallOptions): Promise<ShareGrant>

  /**
   * Upload a script and get a handle for drafts of the task.
   *
   * One part, `file`: UTF-8 text of at most 1 MiB. The handle lasts 24 hours and can be used more than once.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  uploadScript(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    /** The file; a `File` brings its name. */
    file: Blob
  } & CallOptions): Promise<ScriptUpload>

  /**
   * Upload files as zip or tar.gz and get a handle for drafts of the task.
   *
   * One part, `file`, at most 64 MiB and 2000 files. The files land below `/workspace` before the scripts start.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  uploadBundle(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    /** The file; a `File` brings its name. */
    file: Blob
  } & CallOptions): Promise<BundleUpload>

  /**
   * Replace a script of a draft with a file.
   *
   * One part, `file`: UTF-8 text of at most 1 MiB.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  putScriptFile(options: {
    params: {
      /** Identifier of the task. */
      id: string
      /** Identifier of the task version. */
      vid: string
    }
    query: {
      /** Script that the file replaces. */
      target: "startup" | "work"
    }
    /** The file; a `File` brings its name. */
    file: Blob
  } & CallOptions): Promise<TaskVersion>

  /**
   * Show what a run would receive for an input, without starting it.
   *
   * Answers with the exact file that the scripts would read, and with what does not fit the version's schema.
   *
   * For who may use the task through a share, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  previewInput(options: {
    params: {
      /** Identifier of the task. */
      id: string
      /** Identifier of the task version. */
      vid: string
    }
    body: InputPreviewRequest
  } & CallOptions): Promise<InputPreview>

  /**
   * List what can be run in a chatroom.
   *
   * Tasks that are shared with the room and enabled in it, with what their input must look like. Submit `task_version_id`. A page has fewer than `page_size` items where they would be over 1 MiB together.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, in the rooms that it names.
   */
  readMenu(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
    }
  } & CallOptions): Promise<Menu>

  /**
   * List the tasks shared with a chatroom and which of them it has enabled.
   *
   * Everything that a share gives to the room, for people who decide what to enable. Without page_size an answer has at most 1,000 tasks and 4 MiB; others follow by next_page_token.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listGrantedJobs(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100; without it up to 1000. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
    }
  } & CallOptions): Promise<GrantedJobList>

  /**
   * Enable a shared task and pin one of its versions.
   *
   * Puts the task on the menu of the room. The pin never moves by itself when a newer version is published.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  enableGrantedJob(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the task. */
      tid: string
    }
    body?: GrantedJobEnableRequest
  } & CallOptions): Promise<GrantedJob>

  /**
   * Remove a task from the menu; its share stays.
   *
   * The room can enable it again as long as the share lives.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  disableGrantedJob(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the task. */
      tid: string
    }
  } & CallOptions): Promise<GrantedJob>

  /**
   * Submit a run.
   *
   * Queues one run of a published version that is shared with the room. Poll readRun, or use waitForRun, followRunEvents or runAndWait.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, in the rooms that it names.
   */
  submitRun(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: ManualRunSubmitRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<RunDetail>

  /**
   * List the runs of a chatroom, newest first.
   *
   * A sandbox-scope key sees only the runs that it submitted.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  listRuns(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Only runs in one of these states. */
      status?: ("queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled")[]
    }
  } & CallOptions): Promise<RunList>

  /**
   * Read a run; poll it until terminal_at is set.
   *
   * `next_action` says why it waits, `failure_hint` how to repair what failed. To wait without polling, use waitForRun.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  readRun(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<RunDetail>

  /**
   * Read which kinds of content a run has.
   *
   * Flags alone. Download with readRunOutput, readRunLog and readRunArtifact.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  readRunContent(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<RunContent>

  /**
   * List the artifacts of a run by path.
   *
   * Files that the run left in its artifacts folder.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  listRunArtifacts(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<RunArtifactList>

  /**
   * Get a capability to download an artifact.
   *
   * The token is valid for 5 minutes and for the caller alone. Redeem it with redeemDownloadCapability.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  createDownloadCapability(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
      /** Identifier of the artifact. */
      aid: string
    }
  } & CallOptions): Promise<ArtifactDownloadCapability>

  /**
   * Cancel a run; a run that has ended is returned as it is.
   *
   * A queued run is cancelled at once. The processes of a running one get SIGTERM and some seconds to end, and `status` is `cancel_requested` until then; a second request kills them.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  cancelRun(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<RunDetail>

  /**
   * Run the same version again, with the same input or another one.
   *
   * A new run with a new identifier, whose `retry_of_run_id` names this one. This one must have ended.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  retryRun(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
    body?: RunRetryRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<RunDetail>

  /**
   * Create and publish a hidden task and queue a run of it, atomically.
   *
   * For scripts that are run once. The task is hidden from lists; retry the run with retryRun.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  quickRun(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: QuickRunRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<QuickRun>

  /**
   * Get the public link of the log.
   *
   * Everybody who has the address can read the log until the link is revoked. A repeat returns the same link. For a link that expires, use createSignedLink.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  mintLogLink(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<PublicLink>

  /**
   * Revoke the link of the log.
   *
   * The address is dead at once. Revoking a link that never existed is no error.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeLogLink(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<PublicLink>

  /**
   * Get the public link of the output.
   *
   * Everybody who has the address can read the output until the link is revoked. A repeat returns the same link. For a link that expires, use createSignedLink.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  mintOutputLink(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<PublicLink>

  /**
   * Revoke the link of the output.
   *
   * The address is dead at once. Revoking a link that never existed is no error.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeOutputLink(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<PublicLink>

  /**
   * Get the public link of an artifact.
   *
   * Everybody who has the address can read the file until the link is revoked. A repeat returns the same link. For a link that expires, use createSignedLink.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  mintArtifactLink(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
      /** Identifier of the artifact. */
      aid: string
    }
  } & CallOptions): Promise<ArtifactPublicLink>

  /**
   * Revoke the link of an artifact.
   *
   * The address is dead at once. Revoking a link that never existed is no error.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeArtifactLink(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
      /** Identifier of the artifact. */
      aid: string
    }
  } & CallOptions): Promise<ArtifactPublicLink>

  /**
   * Download the object of a public link.
   *
   * The token in the path is the permission. The answer is always an attachment.
   *
   * Needs no login: whoever has the token may.
   */
  downloadByToken(options: {
    params: {
      /** Token of the link, from its address. */
      token: string
    }
  } & CallOptions): Promise<Response>

  /**
   * Read the company of the caller.
   *
   * The tenant that the caller belongs to.
   *
   * For company administrators. A sandbox key may not.
   */
  readCompany(options?: CallOptions): Promise<Company>

  /**
   * List departments.
   *
   * Departments own tasks and environments, and have rooms.
   *
   * For company administrators. A sandbox key may not.
   */
  listDepartments(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<DepartmentList>

  /**
   * Create a department.
   *
   * Departments own tasks and environments, and have rooms.
   *
   * For company administrators. A sandbox key may not.
   */
  createDepartment(options: {
    body: DepartmentCreateRequest
  } & CallOptions): Promise<Department>

  /**
   * Read a department.
   *
   * One department of the company.
   *
   * For company administrators. A sandbox key may not.
   */
  readDepartment(options: {
    params: {
      /** Identifier of the department. */
      id: string
    }
  } & CallOptions): Promise<Department>

  /**
   * Rename a department.
   *
   * Its identifier stays.
   *
   * For company administrators. A sandbox key may not.
   */
  updateDepartment(options: {
    params: {
      /** Identifier of the department. */
      id: string
    }
    body: DepartmentUpdateRequest
  } & CallOptions): Promise<Department>

  /**
   * List chatrooms.
   *
   * Every room of the company. For rooms of the caller, use listOwnChatrooms.
   *
   * For company administrators. A sandbox key may not.
   */
  listChatrooms(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<ChatroomList>

  /**
   * Create a chatroom in a department.
   *
   * It has no members at first; add them with putMember.
   *
   * For company administrators. A sandbox key may not.
   */
  createChatroom(options: {
    body: ChatroomCreateRequest
  } & CallOptions): Promise<Chatroom>

  /**
   * Read a chatroom.
   *
   * One room of the company.
   *
   * For company administrators. A sandbox key may not.
   */
  readChatroom(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
  } & CallOptions): Promise<Chatroom>

  /**
   * Rename a chatroom or move it to another department.
   *
   * Send only what changes, at least one field. A move raises `authority_generation`: shares and bindings from before no longer count.
   *
   * For company administrators. A sandbox key may not.
   */
  updateChatroom(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: ChatroomUpdateRequest
  } & CallOptions): Promise<Chatroom>

  /**
   * Delete a chatroom; its runs are kept.
   *
   * Its runs and their results stay until they expire. Queued runs do not start.
   *
   * For company administrators. A sandbox key may not.
   */
  deleteChatroom(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
  } & CallOptions): Promise<Chatroom>

  /**
   * Mark a chatroom as a favourite of the caller.
   *
   * It comes first in lists of rooms by job. A repeat changes nothing.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  addFavorite(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
  } & CallOptions): Promise<FavoriteChatroom>

  /**
   * Mark a chatroom as no favourite of the caller.
   *
   * A repeat changes nothing.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  removeFavorite(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
  } & CallOptions): Promise<FavoriteChatroom>

  /**
   * List the members of a chatroom.
   *
   * Users who may run jobs in the room.
   *
   * For company administrators. A sandbox key may not.
   */
  listMembers(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<MembershipList>

  /**
   * Add a user to a chatroom, or change the membership.
   *
   * A repeat changes nothing. Without a body, the user becomes an ordinary member.
   *
   * For company administrators. A sandbox key may not.
   */
  putMember(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the user. */
      uid: string
    }
    body?: MembershipPutRequest
  } & CallOptions): Promise<Membership>

  /**
   * Remove a user from a chatroom.
   *
   * Queued runs of the user in the room do not start.
   *
   * For company administrators. A sandbox key may not.
   */
  deleteMember(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the user. */
      uid: string
    }
  } & CallOptions): Promise<Membership>

  /**
   * List users; disabled users count as retired.
   *
   * With their roles and the departments that they manage.
   *
   * For company administrators. A sandbox key may not.
   */
  listUsers(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<UserList>

  /**
   * Create a user.
   *
   * The user can log in at once with createToken.
   *
   * For company administrators. A sandbox key may not.
   */
  createUser(options: {
    body: UserCreateRequest
  } & CallOptions): Promise<User>

  /**
   * Read a user.
   *
   * One user of the company.
   *
   * For company administrators. A sandbox key may not.
   */
  readUser(options: {
    params: {
      /** Identifier of the user. */
      id: string
    }
  } & CallOptions): Promise<User>

  /**
   * Change name, password, role or departments, disable or enable a user.
   *
   * Send only what changes, at least one field. A new password and `disabled` end all logins of the user.
   *
   * For company administrators. A sandbox key may not.
   */
  updateUser(options: {
    params: {
      /** Identifier of the user. */
      id: string
    }
    body: UserUpdateRequest
  } & CallOptions): Promise<User>

  /**
   * List API keys; revoked keys count as retired.
   *
   * Without the keys themselves.
   *
   * For company administrators. A sandbox key may not.
   */
  listApiKeys(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<ApiKeyList>

  /**
   * Create an API key; only this response contains it.
   *
   * Keep `api_key` from the answer: it cannot be read again. A `sandbox` key names the rooms that it may use.
   *
   * For company administrators. A sandbox key may not.
   */
  createApiKey(options: {
    body: ApiKeyCreateRequest
  } & CallOptions): Promise<ApiKeyCreated>

  /**
   * Read an API key.
   *
   * Without the key itself.
   *
   * For company administrators. A sandbox key may not.
   */
  readApiKey(options: {
    params: {
      /** Identifier of the API key. */
      id: string
    }
  } & CallOptions): Promise<ApiKey>

  /**
   * Revoke an API key.
   *
   * It stops working at once. Queued runs that it submitted do not start.
   *
   * For company administrators. A sandbox key may not.
   */
  revokeApiKey(options: {
    params: {
      /** Identifier of the API key. */
      id: string
    }
  } & CallOptions): Promise<ApiKey>

  /**
   * Pin a version of a shared task in a chatroom; same effect as enabling it.
   *
   * The task must be shared with the room, and the version be published and active.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createBinding(options: {
    body: BindingCreateRequest
  } & CallOptions): Promise<Binding>

  /**
   * Read a binding, also a revoked one.
   *
   * One enablement of one task in one room.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readBinding(options: {
    params: {
      /** Identifier of the binding. */
      id: string
    }
  } & CallOptions): Promise<Binding>

  /**
   * Move the pin to a newer version of the task.
   *
   * For when `update_available` is true.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  acceptBindingVersion(options: {
    params: {
      /** Identifier of the binding. */
      id: string
    }
    body: BindingAcceptVersionRequest
  } & CallOptions): Promise<Binding>

  /**
   * Remove the task from the room’s menu; its share stays.
   *
   * The room can enable the task again as long as the share lives.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeBinding(options: {
    params: {
      /** Identifier of the binding. */
      id: string
    }
    body?: BindingRevokeRequest
  } & CallOptions): Promise<Binding>

  /**
   * Set the jobs a chatroom loads; callers that do not manage the room get 403.
   *
   * Decides whether the agents of the room have the sandbox tools.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  updateChatroomJobs(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: ChatroomJobsUpdate
  } & CallOptions): Promise<ChatroomJobs>

  /**
   * List the rooms that enabled sandbox jobs, by name: rooms of the caller, or of a department.
   *
   * A plain array without a token: use `offset` and `limit`.
   *
   * For every user of the company. A sandbox key may not.
   */
  listChatroomsByJob(options?: {
    query?: {
      /** Items to leave out at the start. */
      offset?: number
      /** Items to return, at most 100. */
      limit?: number
      /** By time, or by name: ascending or descending. */
      order?: "asc" | "desc"
      /** Only rooms of this department; by default those of the caller. */
      department_id?: string
    }
  } & CallOptions): Promise<JobChatroomList>

  /**
   * Count the rooms that enabled sandbox jobs.
   *
   * With the same filter as listChatroomsByJob.
   *
   * For every user of the company. A sandbox key may not.
   */
  countChatroomsByJob(options?: {
    query?: {
      /** Items to leave out at the start. */
      offset?: number
      /** Items to return, at most 100. */
      limit?: number
      /** By time, or by name: ascending or descending. */
      order?: "asc" | "desc"
      /** Only rooms of this department; by default those of the caller. */
      department_id?: string
    }
  } & CallOptions): Promise<ItemCount>

  /**
   * List the runs of a task, newest first by default.
   *
   * A plain array without a token: use `offset` and `limit`. It names who ran it, in which room, and what it cost.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  listTaskRuns(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    query?: {
      /** Items to leave out at the start. */
      offset?: number
      /** Items to return, at most 100. */
      limit?: number
      /** By time, or by name: ascending or descending. */
      order?: "asc" | "desc"
      /** Only runs in one of these states. */
      status?: ("queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled")[]
      /** Only runs submitted by a chat agent, or in any other way. */
      method?: "agent" | "manual"
      /** Only runs of users of the company, or of external people. */
      executor_kind?: "internal_user" | "external_user"
      /** Only runs from a room, a table of a department, or a messaging channel. */
      source_kind?: "chatroom" | "department" | "external_platform"
      /** Only runs in rooms of this department. */
      department_id?: string
      /** Only runs in this room. */
      chatroom_id?: string
    }
  } & CallOptions): Promise<TaskRunHistory>

  /**
   * Count the runs of a task.
   *
   * With the same filters as listTaskRuns.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  countTaskRuns(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    query?: {
      /** Only runs in one of these states. */
      status?: ("queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled")[]
      /** Only runs submitted by a chat agent, or in any other way. */
      method?: "agent" | "manual"
      /** Only runs of users of the company, or of external people. */
      executor_kind?: "internal_user" | "external_user"
      /** Only runs from a room, a table of a department, or a messaging channel. */
      source_kind?: "chatroom" | "department" | "external_platform"
      /** Only runs in rooms of this department. */
      department_id?: string
      /** Only runs in this room. */
      chatroom_id?: string
    }
  } & CallOptions): Promise<ItemCount>

  /**
   * List the runs of every chatroom the caller may read, newest first.
   *
   * With the names of room and task, and `total` over all pages.
   *
   * For every user of the company. A sandbox key may not.
   */
  listVisibleRuns(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Only runs in one of these states. */
      status?: ("queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled")[]
      /** Only runs in this room. */
      chatroom_id?: string
      /** Only runs of this task. */
      task_id?: string
      /** Only runs submitted by a chat agent, or in any other way. */
      method?: "agent" | "manual"
      /** Only runs queued at this instant or later. */
      queued_after?: string
      /** Only runs queued before this instant. */
      queued_before?: string
    }
  } & CallOptions): Promise<VisibleRunList>

  /**
   * List the rooms that enabled a task; callers that do not own it see the rooms they manage.
   *
   * Which version each room has pinned.
   *
   * For who may use the task through a share, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listTaskBindings(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<BindingList>

  /**
   * List the bindings of a chatroom, for its managers.
   *
   * Tasks that the room has enabled, with the pinned versions.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listRoomBindings(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<BindingList>

  /**
   * Store the first value of a slot.
   *
   * The value is encrypted by the client and is never returned. An encrypted value counts for the slot that it is first sent to, and does not open for another one. Use rotateSecret for a slot that has a value; this one answers 409 `illegal_transition`.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createSecret(options: {
    body: SecretWriteRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<SecretOperation>

  /**
   * Replace the value of a slot.
   *
   * Runs that start from then on get the new value.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  rotateSecret(options: {
    body: SecretWriteRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<SecretOperation>

  /**
   * Remove the value of a slot.
   *
   * Runs that start from then on do not get it.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeSecret(options: {
    body: SecretRevokeRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<SecretOperation>

  /**
   * List the secrets of a consumer, without their values.
   *
   * Name the consumer: the room, department or company that a secret is supplied for.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listSecrets(options: {
    query: {
      /** Kind of the consumer. */
      consumer_scope: "chatroom" | "department" | "company"
      /** Identifier of the consumer. */
      consumer_id: string
      /** Only secrets for this task. */
      task_id?: string
      /** Only secrets for slots of this name. */
      slot_name?: string
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<SecretBindingList>

  /**
   * Read a secret without its value.
   *
   * No route returns a value.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readSecret(options: {
    params: {
      /** Identifier of the secret. */
      id: string
    }
  } & CallOptions): Promise<SecretBinding>

  /**
   * List the secrets of a task whose consumers the caller manages, without their values.
   *
   * For who looks after a task that needs secrets.
   *
   * For who may use the task through a share, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listTaskSecrets(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<SecretBindingList>

  /**
   * Approve that an exact version uses secrets of a consumer.
   *
   * Without it, runs do not get secrets of a consumer that does not own the task. It counts for exactly that version and those slots.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createSecretApproval(options: {
    body: SecretApprovalCreateRequest
  } & CallOptions): Promise<SecretApproval>

  /**
   * Revoke an approval.
   *
   * Runs that need it do not start from then on.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeSecretApproval(options: {
    params: {
      /** Identifier of the approval. */
      id: string
    }
    body?: SecretApprovalRevokeRequest
  } & CallOptions): Promise<SecretApproval>

  /**
   * The same as createSecretApproval.
   *
   * Kept for older clients.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createSharedTaskSecretApproval(options: {
    body: SecretApprovalCreateRequest
  } & CallOptions): Promise<SecretApproval>

  /**
   * The same as revokeSecretApproval.
   *
   * Kept for older clients.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeSharedTaskSecretApproval(options: {
    params: {
      /** Identifier of the approval. */
      id: string
    }
    body?: SecretApprovalRevokeRequest
  } & CallOptions): Promise<SecretApproval>

  /**
   * List the approvals of a task whose consumers the caller manages.
   *
   * Which versions may use whose secrets.
   *
   * For who may use the task through a share, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listTaskSecretApprovals(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<SecretApprovalList>

  /**
   * Approve a version of a task, and its next versions by the same author for a time.
   *
   * As createSecretApproval, for who manages both the task and the consumer. Until `next_versions_until`, at most 90 days ahead, it also counts for newer versions that the author of this version wrote alone and whose slots are the same, in rooms that the task still reaches by the same share. It ends when a version of another author or with other slots is published, when the share changes, when the author or who approved loses the right to it, and with revokeSecretApproval. The approved version stays approved. Approve again to cover the versions for longer.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  approveNextVersions(options: {
    body: NextVersionsRequest
  } & CallOptions): Promise<ExtendedSecretApproval>

  /**
   * List the approvals of a task with the next versions that they cover.
   *
   * As listTaskSecretApprovals. With `task_version_id` only the active ones by which that version may use secrets now.
   *
   * For who may use the task through a share, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listExtendedSecretApprovals(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    query?: {
      /** Only approvals that count for this version. */
      task_version_id?: string
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<ExtendedSecretApprovalList>

  /**
   * Read the settings of the company.
   *
   * The writable settings, and limits that the operator decides.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  readSettings(options?: CallOptions): Promise<CompanySettings>

  /**
   * Replace the settings if policy_version is still the current one.
   *
   * All four fields are required. If someone else was faster, the answer is 409 `policy_version_conflict`: read them again.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  updateSettings(options: {
    body: CompanySettingsUpdate
  } & CallOptions): Promise<CompanySettings>

  /**
   * Read the API key that the request is sent with, and its company.
   *
   * Tells a key about itself: name, scope, rooms, origins, expiry. `listOwnChatrooms` names its rooms. For a login `api_key` is null.
   *
   * For every user of the company. A sandbox key may, in the rooms that it names.
   */
  readOwnCredential(options?: CallOptions): Promise<OwnCredential>

  /**
   * List the live chatrooms that the caller is a member of or manages.
   *
   * Rooms where the caller can run something, by name. A sandbox-scope key sees those of its rooms that its owner may still enter.
   *
   * For every user of the company. A sandbox key may, in the rooms that it names.
   */
  listOwnChatrooms(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
    }
  } & CallOptions): Promise<OwnChatroomList>

  /**
   * List the departments that the caller manages, with their names.
   *
   * For managers of the company every department. A member manages none.
   *
   * For every user of the company. A sandbox key may not.
   */
  listOwnDepartments(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
    }
  } & CallOptions): Promise<OwnDepartmentList>

  /**
   * Read the isolation of runs of a version, for managers of the environment.
   *
   * `effective` is what runs get.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readVersionIsolation(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
  } & CallOptions): Promise<VersionIsolation>

  /**
   * Set the isolation of runs of a version, from the next start on.
   *
   * A deployment without gVisor refuses `gvisor`. Runs that have started go on as they are.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  changeVersionIsolation(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
    body: VersionIsolationRequest
  } & CallOptions): Promise<VersionIsolation>

  /**
   * Read the build cache setting of a version, for managers of the environment.
   *
   * Whether an equal earlier build may be reused.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readVersionBuildCache(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
  } & CallOptions): Promise<VersionBuildCache>

  /**
   * Set whether the next builds of a version may reuse an image with the same inputs.
   *
   * Use `none` if a build must fetch everything again.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  changeVersionBuildCache(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
    body: VersionBuildCacheRequest
  } & CallOptions): Promise<VersionBuildCache>

  /**
   * Read the egress allow list of an environment, for its managers.
   *
   * Null means that every public address is allowed.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readEnvironmentEgress(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
  } & CallOptions): Promise<Egress>

  /**
   * Restrict runs of an environment to domains and address ranges, from the next start on.
   *
   * If the task has a list too, a run reaches only what both allow.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  changeEnvironmentEgress(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
    body: EgressRequest
  } & CallOptions): Promise<Egress>

  /**
   * Read the egress allow list of a task, for its managers.
   *
   * Null means that every public address is allowed.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readTaskEgress(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
  } & CallOptions): Promise<Egress>

  /**
   * Restrict runs of a task to domains and address ranges, from the next start on.
   *
   * If the environment has a list too, a run reaches only what both allow.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  changeTaskEgress(options: {
    params: {
      /** Identifier of the task. */
      id: string
    }
    body: EgressRequest
  } & CallOptions): Promise<Egress>

  /**
   * Read the log of an ended run: all of it, a range, or its last bytes.
   *
   * Plain text as the scripts printed it: escape it for display. Of more than 64 MiB, start and end are kept and the cut is marked. To read a running one, use followRunLog.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  readRunLog(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
    query?: {
      /** First byte to send, from 0. */
      start?: number
      /** Number of bytes from `start` on; by default all. */
      length?: number
      /** Number of bytes at the end, instead of `start` and `length`. */
      tail?: number
    }
  } & CallOptions): Promise<Response>

  /**
   * Follow the log of a run as server-sent events, for at most 15 minutes a connection.
   *
   * Starts with what is there, goes on as the job prints, and ends with an `end` event. Connect again with `Last-Event-ID` to continue. Comment lines keep the connection alive.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  followRunLog(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
    query?: {
      /** Position to follow from; `Last-Event-ID` has priority. */
      start?: number
    }
  } & CallOptions): Promise<Response>

  /**
   * List the refused connections of an ended run with their reasons.
   *
   * Connections that the job was not allowed to make, and why.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readNetworkLog(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<NetworkLog>

  /**
   * Delete the results and the input of an ended run before their expiry, for managers of the room.
   *
   * Its row and its state stay; output, log, input and artifacts are gone for good.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  deleteRunContent(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<RunContent>

  /**
   * Read the disk usage and the storage quota of the company, for its managers.
   *
   * Bytes that the company keeps, by kind. At the limit, new runs, uploads and records get 409 `storage_quota_exceeded`.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  readStorageUse(options?: CallOptions): Promise<StorageUse>

  /**
   * List the versions of environments that keep the most on disk, and why, for managers of the company.
   *
   * Images and archives; readStorageUse has all kinds. Archive a version that nothing needs.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  listKeptVersions(options?: CallOptions): Promise<KeptVersionList>

  /**
   * Read the memory, processor time and traffic of a run.
   *
   * Resources that the job took, next to those that its profile allows.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  readRunUsage(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<RunUsage>

  /**
   * Read the stages of a build and the failed instruction, for managers of the environment.
   *
   * Where the time went, and the line of the Dockerfile that failed.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readBuildDetails(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
      /** Identifier of the build. */
      aid: string
    }
  } & CallOptions): Promise<BuildDetails>

  /**
   * Read the log of the Dockerfile’s steps, for managers of the environment.
   *
   * Plain text as the steps printed it: escape it for display.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readBuildLog(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
      /** Identifier of the build. */
      aid: string
    }
  } & CallOptions): Promise<Response>

  /**
   * Follow the log of a build as server-sent events, for at most 15 minutes a connection, for managers of the environment.
   *
   * Starts with what is there, goes on as the steps print, and ends with an `end` event. Connect again with `Last-Event-ID` to continue.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  followBuildLog(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
      /** Identifier of the build. */
      aid: string
    }
    query?: {
      /** Position to follow from; `Last-Event-ID` has priority. */
      start?: number
    }
  } & CallOptions): Promise<Response>

  /**
   * Read the signed SLSA provenance of the image, for managers of the environment.
   *
   * Sources, builder and method of the image, in a DSSE envelope. Verify it with a key of listSigningKeys.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readProvenance(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
  } & CallOptions): Promise<Envelope>

  /**
   * Read the signatures of the image’s digest, for managers of the environment.
   *
   * Signatures in the format of cosign. Verify them with a key of listSigningKeys.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listImageSignatures(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
  } & CallOptions): Promise<ImageSignatureList>

  /**
   * Download the image with signature and provenance, as a tar of its OCI layout, for managers of the environment.
   *
   * Ready for `podman load` or `skopeo`.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  downloadImage(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
    }
  } & CallOptions): Promise<Response>

  /**
   * List the public keys that verify images.
   *
   * Older keys stay in the list, because they verify older images.
   *
   * Needs no login.
   */
  listSigningKeys(options?: CallOptions): Promise<SigningKeyList>

  /**
   * List the base images of the operator, and which registries others are pulled from.
   *
   * Each name can stand in `FROM` and `COPY --from`. A new image is in the list some seconds after the operator made it.
   *
   * For every user of the company. A sandbox key may not.
   */
  listBaseImages(options?: CallOptions): Promise<BaseImageList>

  /**
   * Read the scan report of a build.
   *
   * Packages, known vulnerabilities, secrets in files and risky modes. No finding fails a build.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readScanReport(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
      /** Identifier of the build. */
      aid: string
    }
  } & CallOptions): Promise<ScanReport>

  /**
   * Read the packages in the image of a build, as CycloneDX 1.6 JSON.
   *
   * For tools that compare packages with their own database.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readSbom(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
      /** Identifier of the build. */
      aid: string
    }
  } & CallOptions): Promise<Response>

  /**
   * List the security findings of an environment, the most severe first.
   *
   * Findings of the scans of all versions, one item for each finding over time. A finding is removed 90 days after it was resolved, unless it has an exception or the operator has blocked it.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listFindings(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Only findings in one of these states. */
      state?: ("discovered" | "reappeared" | "excepted" | "blocked" | "resolved" | "closed")[]
      /** Only findings of these severities. */
      severity?: ("critical" | "high" | "medium" | "low" | "unknown")[]
    }
  } & CallOptions): Promise<SecurityFindingList>

  /**
   * List the exceptions of an environment.
   *
   * Accepted findings: by whom, why, and until when. An exception is removed 90 days after it ended.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listExceptions(options: {
    params: {
      /** Identifier of the environment. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<SecurityExceptionList>

  /**
   * Accept a finding, for a time or until it is revoked.
   *
   * The finding stays in the list, in the state `excepted`. A finding that the operator has blocked cannot be accepted.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createException(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the finding. */
      fid: string
    }
    body: SecurityExceptionCreateRequest
  } & CallOptions): Promise<SecurityException>

  /**
   * Revoke an exception.
   *
   * The finding counts again.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeException(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the exception. */
      xid: string
    }
  } & CallOptions): Promise<SecurityException>

  /**
   * Post a message, which starts a human turn; a gateway posts with X-Gateway-Key for whom X-On-Behalf-Of names.
   *
   * The answer has the `turn_context` with which an agent acts in this turn, for 10 minutes.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  postMessage(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: MessagePostRequest
  } & CallOptions): Promise<PostedMessage>

  /**
   * List the tools that the room of the turn in X-Turn-Context loads.
   *
   * All five tools, or none if the room has switched sandbox jobs off. Their schemas are ready for a model.
   *
   * For agents, in the turn of a person.
   */
  listAgentTools(options: {
    headers: {
      /** The `turn_context` of postMessage. It stands for the person, in the place of a login. */
      "X-Turn-Context": string
    }
  } & CallOptions): Promise<AgentToolList>

  /**
   * Call a tool in the turn of X-Turn-Context; refusals are results with status "error".
   *
   * The body has the parameters of the tool, as its `input_schema` says. A refusal is a result with `status` `error`, which the model can read.
   *
   * For agents, in the turn of a person.
   */
  callAgentTool(options: {
    params: {
      /** Name of the tool. */
      tool: string
    }
    headers: {
      /** The `turn_context` of postMessage. It stands for the person, in the place of a login. */
      "X-Turn-Context": string
    }
    body?: AgentToolParameters
  } & CallOptions): Promise<AgentToolResult>

  /**
   * List the external people of a chatroom.
   *
   * People of messaging channels who take part in the room.
   *
   * For company administrators. A sandbox key may not.
   */
  listSocialMediaClients(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<SocialMediaClientList>

  /**
   * Add an external person to a chatroom, by channel and client id.
   *
   * A gateway may then post messages for this person.
   *
   * For company administrators. A sandbox key may not.
   */
  createSocialMediaClient(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: SocialMediaClientCreateRequest
  } & CallOptions): Promise<SocialMediaClient>

  /**
   * Remove an external person from a chatroom.
   *
   * A gateway can no longer post messages for this person in the room.
   *
   * For company administrators. A sandbox key may not.
   */
  deleteSocialMediaClient(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the external person. */
      client: string
    }
  } & CallOptions): Promise<SocialMediaClient>

  /**
   * List the jobs that wait for the confirmation of the caller; a person has at most one.
   *
   * An agent proposed it, and nothing runs until the person confirms it.
   *
   * For every user of the company. A sandbox key may not.
   */
  listProposals(options?: CallOptions): Promise<ProposalList>

  /**
   * Read a job that an agent proposed to the caller, until a day after its end.
   *
   * The state says whether it waits, became a run, or ended without one.
   *
   * For the person whom the agent proposed it to. A sandbox key may not.
   */
  readProposal(options: {
    params: {
      /** Identifier of the proposal. */
      pid: string
    }
  } & CallOptions): Promise<Proposal>

  /**
   * Confirm a proposed job with a login: posts a message of the caller in the room and queues the run.
   *
   * `run_id` of the answer names the run. A proposal becomes at most one run.
   *
   * For the person whom the agent proposed it to. A sandbox key may not.
   */
  confirmProposal(options: {
    params: {
      /** Identifier of the proposal. */
      pid: string
    }
  } & CallOptions): Promise<Proposal>

  /**
   * Reject a proposed job.
   *
   * It cannot be confirmed from then on.
   *
   * For the person whom the agent proposed it to. A sandbox key may not.
   */
  rejectProposal(options: {
    params: {
      /** Identifier of the proposal. */
      pid: string
    }
  } & CallOptions): Promise<Proposal>

  /**
   * Download the output of a run; accepts a Range header.
   *
   * The bytes that the job wrote to its output file, at most 16 MiB. A run without an output answers 404.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  readRunOutput(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<Response>

  /**
   * List the artifacts of a run by path.
   *
   * The same as listRunArtifacts, beside the route that downloads them.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  listRunFiles(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<RunArtifactList>

  /**
   * Download one artifact; accepts a Range header.
   *
   * The bytes of one file. The name of the file is in `Content-Disposition`.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  readRunArtifact(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
      /** Identifier of the artifact. */
      aid: string
    }
  } & CallOptions): Promise<Response>

  /**
   * Download one artifact with a download capability of the caller; accepts a Range header.
   *
   * Only the caller to whom createDownloadCapability gave the token can redeem it.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  redeemDownloadCapability(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
      /** Identifier of the artifact. */
      aid: string
    }
    headers: {
      /** The `capability_token` of createDownloadCapability. */
      "X-Sandbox-Download-Capability": string
    }
  } & CallOptions): Promise<Response>

  /**
   * Download output, log and artifacts of a run as one zip archive.
   *
   * It has `output.json`, `log.txt` and `artifacts/`, as far as they exist. A run that left nothing answers 404.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  downloadRunFiles(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<Response>

  /**
   * Read remarks about a run that has ended.
   *
   * Facts that its author should know although the run may have completed: that it wrote no output, or that none of its artifacts was kept, and which file broke which rule. Empty until the run has ended.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  readRunRemarks(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<RunRemarks>

  /**
   * Follow the states of a run as server-sent events, until it ends or for at most 15 minutes a connection.
   *
   * Starts with the states that the run has had, and ends with an `end` event. Connect again with `Last-Event-ID` to continue. After the content of a run was deleted, there is only the `end` event.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  followRunEvents(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
    query?: {
      /** Position of the last event that is known; `Last-Event-ID` has priority. */
      after?: number
    }
  } & CallOptions): Promise<Response>

  /**
   * Follow the states of a build as server-sent events, until it ends or for at most 15 minutes a connection.
   *
   * Starts with the states that the build has had in the last thirty days, and ends with an `end` event. Connect again with `Last-Event-ID` to continue.
   *
   * For every user of the company. A sandbox key may not.
   */
  followBuildEvents(options: {
    params: {
      /** Identifier of the environment. */
      id: string
      /** Identifier of the environment version. */
      vid: string
      /** Identifier of the build. */
      aid: string
    }
    query?: {
      /** Position of the last event that is known; `Last-Event-ID` has priority. */
      after?: number
    }
  } & CallOptions): Promise<Response>

  /**
   * Wait until a run has ended, at most 60 seconds, and read it; terminal_at is set if it has ended.
   *
   * The answer comes as soon as the run ends, or after `seconds` with the run as it is. Ask again until `terminal_at` is set.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  waitForRun(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
    query?: {
      /** Seconds to wait, at most 60. */
      seconds?: number
    }
  } & CallOptions): Promise<ExtendedRun>

  /**
   * Submit a run and wait for its output, at most 60 seconds.
   *
   * One request from input to output. If the run takes longer, `state` is `keep_waiting`: go on with waitForRun. An output of more than 256 KiB is not in the answer: use readRunOutput.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, in the rooms that it names.
   */
  runAndWait(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: RunAndWaitRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<RunResult>

  /**
   * Create an expiring link to a result: a page for people, a file shown inline, or a download.
   *
   * Everybody who has the address can read the result until it expires or is revoked with revokeRunLink.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createSignedLink(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
    body: SignedLinkCreateRequest
  } & CallOptions): Promise<RunLink>

  /**
   * List the live links of a run, newest first, permanent ones included.
   *
   * With their addresses, when they expire and who created them.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listRunLinks(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
    }
  } & CallOptions): Promise<RunLinkList>

  /**
   * Revoke a link of a run by its id; idempotent.
   *
   * The address is dead at once. It works for permanent links too.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  revokeRunLink(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
      /** Identifier of the link. */
      lid: string
    }
  } & CallOptions): Promise<RunLink>

  /**
   * The result of a run as a page for people.
   *
   * The token in the path is the permission. The page needs no login and no script.
   *
   * Needs no login: whoever has the token may.
   */
  openShare(options: {
    params: {
      /** Token of the link, from its address. */
      token: string
    }
  } & CallOptions): Promise<Response>

  /**
   * An object of a share page: `output`, or an artifact by its id.
   *
   * The page links to it. Without `show`, the answer is an attachment.
   *
   * Needs no login: whoever has the token may.
   */
  openSharedObject(options: {
    params: {
      /** Token of the link, from its address. */
      token: string
      /** `output`, or the identifier of an artifact. */
      oid: string
    }
    query?: {
      /** True shows the object in the page instead of downloading it. */
      show?: boolean
    }
  } & CallOptions): Promise<Response>

  /**
   * The object of a media or download link; media have their real content type.
   *
   * Raster images, CSV and text only, so that a chart shows in a chat. Nothing in it can run as a script.
   *
   * Needs no login: whoever has the token may.
   */
  openMedia(options: {
    params: {
      /** Token of the link, from its address. */
      token: string
      /** Name of the file, for people; any name is accepted. */
      name: string
    }
  } & CallOptions): Promise<Response>

  /**
   * Upload a file for runs of a room, as raw bytes.
   *
   * At most 256 MiB. Submissions to submitExtendedRun and runAndWait name it in `files`. Send `Content-Length`: without it, the upload reserves the maximum.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, in the rooms that it names.
   */
  uploadInputFile(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query: {
      /** A plain file name of at most 255 bytes, for people; a run may name it otherwise. */
      name: string
      /** Media type by the sender; nothing relies on it. By default `application/octet-stream`. */
      media_type?: string
    }
    headers: {
      /** The `capability_token` of initContextUpload. */
      "X-Sandbox-Upload-Capability": string
    }
    /** The bytes. A stream is sent once: the call is not repeated. */
    upload: UploadBody
  } & CallOptions): Promise<InputFile>

  /**
   * List the uploaded files of a room, newest first.
   *
   * A key with sandbox scope sees those that it uploaded. Expired ones are left out.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  listInputFiles(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
    }
  } & CallOptions): Promise<InputFileList>

  /**
   * Read name, size, digest and expiry of an uploaded file.
   *
   * The bytes are not served: they are for runs alone.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  readInputFile(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the input file. */
      fid: string
    }
  } & CallOptions): Promise<InputFile>

  /**
   * Delete an uploaded file.
   *
   * For its uploader and for managers of the room; `in_use` while a run that has not ended takes it. The answer is the file as it was. Retries of runs that took it are refused from then on.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  deleteInputFile(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the input file. */
      fid: string
    }
  } & CallOptions): Promise<InputFile>

  /**
   * Submit a run with files, metadata and a session.
   *
   * As submitRun, which takes none of them. The job finds the files below `/workspace/inputs`, read-only. An unknown, foreign or ended file is `input_file_not_found`, with its location in `detail.errors`, and nothing is queued.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, in the rooms that it names.
   */
  submitExtendedRun(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: ExtendedSubmitRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<ExtendedRun>

  /**
   * Quick-run scripts with a session.
   *
   * As quickRun, which takes no session: the scripts find the files of `session` in `/workspace/session`, and what they leave there is kept if they end by themselves.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  quickRunInSession(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: SessionQuickRunRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<QuickRun>

  /**
   * List the runs of a chatroom with their files and metadata, newest first.
   *
   * Filters by state and by metadata: `metadata=external_user=U1` may be repeated, and all pairs must match.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  listExtendedRuns(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Only runs in one of these states. */
      status?: ("queued" | "starting" | "running" | "cancel_requested" | "completed" | "customer_failed" | "platform_failed" | "cancelled")[]
      /** Only runs with this pair, as `key=value`; at most 4, which all must match. */
      metadata?: string[]
    }
  } & CallOptions): Promise<ExtendedRunList>

  /**
   * Read a run with its files and metadata.
   *
   * Both are empty once the content of the run has expired.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may, for what it submitted, uploaded or created.
   */
  readExtendedRun(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the run. */
      rid: string
    }
  } & CallOptions): Promise<ExtendedRun>

  /**
   * Create a session: files that stay between runs of a room.
   *
   * Name it in `session` of submitExtendedRun, runAndWait or quickRunInSession: the job finds the files in `/workspace/session`, and what it leaves there is kept. With `fork_of` it starts with the files of another session, without a copy of their bytes; both change independently from then on.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createSession(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body?: SessionCreateRequest
  } & CallOptions): Promise<Session>

  /**
   * List the sessions of the caller in a chatroom, newest first.
   *
   * A key with sandbox scope sees those that it created. Expired ones are left out.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listSessions(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
    }
  } & CallOptions): Promise<SessionList>

  /**
   * Read the size, use and expiry of a session.
   *
   * Only the person who created it finds it here.
   *
   * For the person who created the session. A sandbox key may not.
   */
  readSession(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
  } & CallOptions): Promise<Session>

  /**
   * Delete a session with its files.
   *
   * `session_in_use` while a run holds it: cancel the run first. The answer is the session as it was. Its forks stay.
   *
   * For the person who created the session. A sandbox key may not.
   */
  deleteSession(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
  } & CallOptions): Promise<Session>

  /**
   * List the sessions of everybody in a chatroom, newest first.
   *
   * For managers of the room: whose they are, their sizes and their use. Their files stay with the person who created them.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listRoomSessions(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
    }
  } & CallOptions): Promise<SessionList>

  /**
   * Delete a session of anybody in a chatroom, with its files.
   *
   * For managers of the room. `session_in_use` while a run holds it: cancel the run first. The answer is the session as it was. Its forks stay.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  deleteRoomSession(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
  } & CallOptions): Promise<Session>

  /**
   * List files, folders and links of a session by path.
   *
   * As the last change left them: while a run holds the session, as they were before it. Names are what programs wrote; show them as plain text.
   *
   * For the person who created the session. A sandbox key may not.
   */
  listSessionFiles(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Path of a folder; absent: the whole session. */
      path?: string
      /** `one`: what is directly in the folder; `all`: what is in its folders too. */
      depth?: "one" | "all"
    }
  } & CallOptions): Promise<SessionFileList>

  /**
   * Delete a file, a link, or a folder with all that is in it.
   *
   * The answer is the session after the change.
   *
   * For the person who created the session. A sandbox key may not.
   */
  deleteSessionFile(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
    query: {
      /** Path below `/workspace/session`, without a slash at either end. */
      path: string
    }
  } & CallOptions): Promise<Session>

  /**
   * Download a file of a session; accepts a Range header.
   *
   * Links are not followed, and folders have no bytes: both answer 404.
   *
   * For the person who created the session. A sandbox key may not.
   */
  readSessionFile(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
    query: {
      /** Path below `/workspace/session`, without a slash at either end. */
      path: string
    }
  } & CallOptions): Promise<Response>

  /**
   * Write a file of a session, as raw bytes.
   *
   * Replaces a file or a link of that path, never a folder; missing folders are created. The file appears whole or not at all. An executable file stays executable. Send `Content-Length`: without it, the request reserves what the session has left.
   *
   * For the person who created the session. A sandbox key may not.
   */
  writeSessionFile(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
    query: {
      /** Path below `/workspace/session`, without a slash at either end. */
      path: string
    }
    headers: {
      /** The `capability_token` of initContextUpload. */
      "X-Sandbox-Upload-Capability": string
    }
    /** The bytes. A stream is sent once: the call is not repeated. */
    upload: UploadBody
  } & CallOptions): Promise<SessionFile>

  /**
   * Create a folder in a session.
   *
   * With the folders above it; one that exists is no error.
   *
   * For the person who created the session. A sandbox key may not.
   */
  createSessionFolder(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
    body: SessionFolderRequest
  } & CallOptions): Promise<SessionFile>

  /**
   * Move a file, a link, or a folder with all that is in it.
   *
   * The target of a link stays as it is.
   *
   * For the person who created the session. A sandbox key may not.
   */
  moveSessionFile(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
    body: SessionMoveRequest
  } & CallOptions): Promise<SessionFile>

  /**
   * Download the files of a session, or of one folder, as a zip archive.
   *
   * Links and empty folders are left out. Without a file, the answer is 404.
   *
   * For the person who created the session. A sandbox key may not.
   */
  downloadSession(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the session. */
      sid: string
    }
    query?: {
      /** Path of a folder; absent: the whole session. */
      path?: string
    }
  } & CallOptions): Promise<Response>

  /**
   * List the notifications of the caller, newest first.
   *
   * The newest 1,000 of the last 90 days. A run notifies its submitter; builds, findings and images notify the managers of the owner of the environment. They do not replace polling.
   *
   * For every user of the company. A sandbox key may not.
   */
  listNotifications(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Only those that are not read, or only those that are. */
      unread?: boolean
    }
  } & CallOptions): Promise<NotificationList>

  /**
   * Mark a notification as read.
   *
   * Repeating it changes nothing.
   *
   * For the person whom it is for. A sandbox key may not.
   */
  readNotification(options: {
    params: {
      /** Identifier of the notification. */
      nid: string
    }
  } & CallOptions): Promise<Notification>

  /**
   * Read whether the caller gets e-mails, and about what not.
   *
   * E-mails repeat notifications, where the operator has configured a mail server and given the caller an address.
   *
   * For every user of the company. A sandbox key may not.
   */
  readMailPreferences(options?: CallOptions): Promise<MailPreferences>

  /**
   * Set what the caller gets no e-mail about.
   *
   * Replaces the list. Notifications in the notification centre do not change.
   *
   * For every user of the company. A sandbox key may not.
   */
  updateMailPreferences(options: {
    body: MailPreferencesUpdateRequest
  } & CallOptions): Promise<MailPreferences>

  /**
   * List the messages of a chatroom in their order.
   *
   * With `after_sequence` only later ones, so that a chat pipeline can follow. Messages of the service have the author `system`; they start no turn.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listRoomMessages(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Only messages with a higher number. */
      after_sequence?: number
    }
  } & CallOptions): Promise<RoomMessageList>

  /**
   * Read whether the ends of runs are announced in a chatroom.
   *
   * Nothing is announced unless a manager of the room has switched it on.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readRoomNotifications(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
  } & CallOptions): Promise<RoomNotifications>

  /**
   * Set whether the service posts a message in a chatroom when a run of it ends.
   *
   * Such a message is no human turn: an agent cannot act in it, and it confirms nothing.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  updateRoomNotifications(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: RoomNotifications
  } & CallOptions): Promise<RoomNotifications>

  /**
   * List tables.
   *
   * Those of the company for its managers, those of their departments for managers of departments.
   *
   * For every user of the company. A sandbox key may not.
   */
  listTables(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<CustomTableList>

  /**
   * Create a table.
   *
   * Its owner is the company or a department that the caller manages. Fields can be added later.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createTable(options: {
    body: CustomTableCreateRequest
  } & CallOptions): Promise<CustomTable>

  /**
   * Read a table.
   *
   * Its fields and flags, and how many rows it has.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readTable(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
  } & CallOptions): Promise<CustomTable>

  /**
   * Change the name, description or flags of a table.
   *
   * The channel rule can change only while the table has no rows.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  updateTable(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
    body: CustomTableUpdateRequest
  } & CallOptions): Promise<CustomTable>

  /**
   * Add fields to a table.
   *
   * They come after the others. While the table has rows, none of them may be required.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  addTableFields(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
    body: TableFieldsAddRequest
  } & CallOptions): Promise<CustomTable>

  /**
   * Archive a table.
   *
   * Nothing writes its rows from then on; they stay readable. Runs that would write them are refused.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  archiveTable(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
  } & CallOptions): Promise<CustomTable>

  /**
   * List rows of a table.
   *
   * With conditions and an order. A page continues where the last one ended, also while rows change.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listRows(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Conditions `field:operator:value`, all of which hold. Operators: eq, ne, lt, lte, gt, gte, contains (text), and `is` with null or not_null. `created_at`, `updated_at` and `chatroom_id` are fields too. */
      filter?: string[]
      /** Field to sort by, `-` before it for descending; by default the order of creation. Rows without a value come last. */
      sort?: string
    }
  } & CallOptions): Promise<TableRowList>

  /**
   * Export rows of a table.
   *
   * All rows in the order of creation, as CSV or as JSON lines, one row as TableRow on each. In CSV, text that a spreadsheet would read as a formula starts with an apostrophe.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  exportRows(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
    query?: {
      /** Form of the export. */
      format?: "csv" | "jsonl"
      /** Conditions `field:operator:value`, all of which hold. Operators: eq, ne, lt, lte, gt, gte, contains (text), and `is` with null or not_null. `created_at`, `updated_at` and `chatroom_id` are fields too. */
      filter?: string[]
    }
  } & CallOptions): Promise<Response>

  /**
   * Create a row.
   *
   * At most 64 KiB of values. Repeating the key returns the first row.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createRow(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
    body: TableRowCreateRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<TableRow>

  /**
   * Read a row.
   *
   * Its values and its version.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readRow(options: {
    params: {
      /** Identifier of the table. */
      id: string
      /** Identifier of the row. */
      rid: string
    }
  } & CallOptions): Promise<TableRow>

  /**
   * Change values of a row.
   *
   * Only the named fields change. A change without effect leaves the version as it is.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  updateRow(options: {
    params: {
      /** Identifier of the table. */
      id: string
      /** Identifier of the row. */
      rid: string
    }
    body: TableRowUpdateRequest
  } & CallOptions): Promise<TableRow>

  /**
   * Delete a row.
   *
   * For good.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  deleteRow(options: {
    params: {
      /** Identifier of the table. */
      id: string
      /** Identifier of the row. */
      rid: string
    }
  } & CallOptions): Promise<TableRowDeleted>

  /**
   * List the rows of a table that belong to a chatroom.
   *
   * For the people of the chatroom; only tables with a channel rule have such rows.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listRoomRows(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the table. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Conditions `field:operator:value`, all of which hold. Operators: eq, ne, lt, lte, gt, gte, contains (text), and `is` with null or not_null. `created_at`, `updated_at` and `chatroom_id` are fields too. */
      filter?: string[]
      /** Field to sort by, `-` before it for descending; by default the order of creation. Rows without a value come last. */
      sort?: string
    }
  } & CallOptions): Promise<TableRowList>

  /**
   * List the commands of a table.
   *
   * For who manages the table.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listTableCommands(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<TableCommandList>

  /**
   * Create a command of a table.
   *
   * A `write` command with the authority of its definition and an effect identity can be the output of a run.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createTableCommand(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
    body: TableCommandCreateRequest
  } & CallOptions): Promise<TableCommand>

  /**
   * Read a command.
   *
   * For who manages its table.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readTableCommand(options: {
    params: {
      /** Identifier of the command. */
      id: string
    }
  } & CallOptions): Promise<TableCommand>

  /**
   * Change a command.
   *
   * Runs whose output policy names the former inputs can no longer call it.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  updateTableCommand(options: {
    params: {
      /** Identifier of the command. */
      id: string
    }
    body: TableCommandUpdateRequest
  } & CallOptions): Promise<TableCommand>

  /**
   * Archive a command.
   *
   * Nobody can execute it from then on.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  archiveTableCommand(options: {
    params: {
      /** Identifier of the command. */
      id: string
    }
  } & CallOptions): Promise<TableCommand>

  /**
   * List the commands that a chatroom may use.
   *
   * Those granted to the chatroom, to its department or to the company.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listRoomCommands(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<TableCommandList>

  /**
   * Execute a command in a chatroom.
   *
   * Repeating the key returns the first answer. Rows of a table with a channel rule get this chatroom.
   *
   * For members of the room, managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  executeCommand(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the command. */
      id: string
    }
    body: CommandExecuteRequest
    /** By default a new key, which all repeats of the call have. */
    idempotencyKey?: string
  } & CallOptions): Promise<CommandExecution>

  /**
   * List the triggers of a table.
   *
   * For who manages the table.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listTableTriggers(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Which items: `active`, `retired` (archived, revoked, deleted), or `all`. */
      lifecycle?: "active" | "retired" | "all"
    }
  } & CallOptions): Promise<TableTriggerList>

  /**
   * Create a trigger of a table.
   *
   * From then on each change of a row starts one run, as the caller, who may submit runs of that version in that chatroom. Runs of one row are queued in the order of its changes.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createTableTrigger(options: {
    params: {
      /** Identifier of the table. */
      id: string
    }
    body: TableTriggerCreateRequest
  } & CallOptions): Promise<TableTrigger>

  /**
   * Read a trigger.
   *
   * For who manages its table.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readTableTrigger(options: {
    params: {
      /** Identifier of the trigger. */
      id: string
    }
  } & CallOptions): Promise<TableTrigger>

  /**
   * Change a trigger.
   *
   * Later runs have the authority of the caller. Events that wait are handled as the trigger is then.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  updateTableTrigger(options: {
    params: {
      /** Identifier of the trigger. */
      id: string
    }
    body: TableTriggerUpdateRequest
  } & CallOptions): Promise<TableTrigger>

  /**
   * Archive a trigger.
   *
   * It starts no run from then on; events that wait are refused with `custom_table_archived`.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  archiveTableTrigger(options: {
    params: {
      /** Identifier of the trigger. */
      id: string
    }
  } & CallOptions): Promise<TableTrigger>

  /**
   * List the row events of a trigger.
   *
   * Newest first, with the run of each or why there is none. They are listed for a day after they were handled, and until their run has ended.
   *
   * For managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listTriggerEvents(options: {
    params: {
      /** Identifier of the trigger. */
      id: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Only events with this status. */
      status?: "waiting" | "started" | "refused"
    }
  } & CallOptions): Promise<TriggerEventList>

  /**
   * Report what runs and builds of the company used and cost.
   *
   * By day, task, room, department and person, over at most 366 days and 10,000 lines. Work counts when it has ended, on the day on which it was queued.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  readUsageReport(options?: {
    query?: {
      /** Dimensions that the lines are grouped by; `day` if omitted. */
      by?: ("day" | "task" | "room" | "department" | "person")[]
      /** First day (UTC); the first of the month of the last day if omitted. */
      from?: string
      /** Last day (UTC); today if omitted. */
      to?: string
    }
  } & CallOptions): Promise<UsageReport>

  /**
   * Download the usage report as CSV.
   *
   * The lines of readUsageReport with a heading. A text that a spreadsheet might take for a formula starts with an apostrophe.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  downloadUsageReport(options?: {
    query?: {
      /** Dimensions that the lines are grouped by; `day` if omitted. */
      by?: ("day" | "task" | "room" | "department" | "person")[]
      /** First day (UTC); the first of the month of the last day if omitted. */
      from?: string
      /** Last day (UTC); today if omitted. */
      to?: string
    }
  } & CallOptions): Promise<Response>

  /**
   * List entries of the audit log.
   *
   * Newest first, by time, actor or object. A change is an entry about a second after it was committed. Entries have digests and never a value.
   *
   * For auditors, company administrators. A sandbox key may not.
   */
  listAuditEntries(options?: {
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
      /** Entries from this time on. */
      from?: string
      /** Entries before this time. */
      to?: string
      /** Entries of this actor; what the service did by itself is left out. */
      actor_id?: string
      /** Entries of this object. */
      object_id?: string
    }
  } & CallOptions): Promise<AuditEntryList>

  /**
   * Read where the audit log starts and ends.
   *
   * A reader who keeps the head can show later that nothing before it was changed or removed. The signature is over `sandbox-jobs audit head v1`, a line feed, and a JSON array of company, sequence, hash and milliseconds since 1970.
   *
   * For auditors, company administrators. A sandbox key may not.
   */
  readAuditHead(options?: CallOptions): Promise<AuditHead>

  /**
   * Export the audit log as JSON lines.
   *
   * The first line is an AuditHead, each later one an AuditEntry, oldest first. `sandbox audit verify --file` verifies it without the service.
   *
   * For auditors, company administrators. A sandbox key may not.
   */
  exportAuditEntries(options?: {
    query?: {
      /** Entries after this number. */
      after?: number
    }
  } & CallOptions): Promise<Response>

  /**
   * List the webhooks of the company.
   *
   * All on one page. Their secrets are not shown.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  listWebhooks(options?: CallOptions): Promise<WebhookList>

  /**
   * Create a webhook: the events of the company are posted to its address.
   *
   * Posts are signed as Standard Webhooks defines, and repeated with growing pauses for three days until one answers with 2xx. The answer has the secret, which is not shown again. An address inside of the network is refused.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  createWebhook(options: {
    body: WebhookCreateRequest
  } & CallOptions): Promise<WebhookWithSecret>

  /**
   * Read a webhook.
   *
   * Says whether it is paused, and since when it fails.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  readWebhook(options: {
    params: {
      /** Identifier of the webhook. */
      wid: string
    }
  } & CallOptions): Promise<Webhook>

  /**
   * Change, pause or resume a webhook.
   *
   * Deliveries that wait when it is paused end as failed.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  updateWebhook(options: {
    params: {
      /** Identifier of the webhook. */
      wid: string
    }
    body: WebhookUpdateRequest
  } & CallOptions): Promise<Webhook>

  /**
   * Remove a webhook with its deliveries.
   *
   * An attempt in progress ends by itself.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  deleteWebhook(options: {
    params: {
      /** Identifier of the webhook. */
      wid: string
    }
  } & CallOptions): Promise<Webhook>

  /**
   * Make a new signing secret for a webhook.
   *
   * For 24 hours each post has signatures of both secrets, so that the receiver can change without a gap. The answer has the new secret, which is not shown again.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  rotateWebhookSecret(options: {
    params: {
      /** Identifier of the webhook. */
      wid: string
    }
  } & CallOptions): Promise<WebhookWithSecret>

  /**
   * List the deliveries of a webhook, newest first.
   *
   * Those that wait, and the newest 1,000 that ended.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  listWebhookDeliveries(options: {
    params: {
      /** Identifier of the webhook. */
      wid: string
    }
    query?: {
      /** Items on a page, at most 100. */
      page_size?: number
      /** The `next_page_token` of the previous page; one that cannot be read starts again. */
      page_token?: string
    }
  } & CallOptions): Promise<WebhookDeliveryList>

  /**
   * Deliver an event again, with the same id.
   *
   * It is attempted soon, and again for three days if that fails.
   *
   * For company managers, company administrators. A sandbox key may not.
   */
  redeliver(options: {
    params: {
      /** Identifier of the webhook. */
      wid: string
      /** Identifier of the delivery. */
      did: string
    }
  } & CallOptions): Promise<WebhookDelivery>

  /**
   * Write a row from a run.
   *
   * For runs whose version has a `custom_table_writeback` policy. Repeating a call changes nothing more. The credential ends with the run.
   *
   * Needs no login: whoever has the token may.
   */
  writeBack(options: {
    params: {
      /** Name of the credential: a UUID. */
      token_id: string
    }
    body: WritebackRequest
  } & CallOptions): Promise<WritebackResult>

  /**
   * Send the inputs of the command of a run.
   *
   * For runs whose version has a `custom_table_command` policy: once per run. Repeating the same inputs returns the first answer.
   *
   * Needs no login: whoever has the token may.
   */
  sendCommandOutput(options: {
    params: {
      /** Name of the credential: a UUID. */
      token_id: string
    }
    body: CommandOutputRequest
  } & CallOptions): Promise<CommandExecution>

  /**
   * List the doors of a chatroom.
   *
   * All on one page. Their keys are not shown.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  listDoors(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
  } & CallOptions): Promise<DoorList>

  /**
   * Create a door: an address in the form that the code tool of a platform knows.
   *
   * The answer has the key that the platform sends, which is not shown again. Each program that comes by the door is an ordinary run of the room, submitted as the caller: it does not start once the door is gone or the caller no longer manages the room. A foreign or unknown environment version is not found.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  createDoor(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
    }
    body: DoorCreateRequest
  } & CallOptions): Promise<DoorWithKey>

  /**
   * Read a door.
   *
   * Without its key.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  readDoor(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the door. */
      did: string
    }
  } & CallOptions): Promise<Door>

  /**
   * Remove a door with its key.
   *
   * Its runs stay in the lists of the room. Those that wait in the queue do not start.
   *
   * For managers of the room, managers of the department, company managers, company administrators. A sandbox key may not.
   */
  deleteDoor(options: {
    params: {
      /** Identifier of the chatroom. */
      cid: string
      /** Identifier of the door. */
      did: string
    }
  } & CallOptions): Promise<Door>
}

/** The type of an item, by the operation that lists it. */
export interface Lists {
  listEnvironments: Environment
  listEnvironmentVersions: EnvironmentVersion
  listBuilds: BuildAttempt
  listContextObjects: ContextObject
  listTasks: Task
  listTaskVersions: TaskVersion
  listShares: ShareGrant
  readMenu: MenuItem
  listGrantedJobs: GrantedJob
  listRuns: RunDetail
  listRunArtifacts: RunArtifact
  listDepartments: Department
  listChatrooms: Chatroom
  listMembers: Membership
  listUsers: User
  listApiKeys: ApiKey
  listChatroomsByJob: JobChatroom
  listTaskRuns: TaskRunHistoryItem
  listVisibleRuns: VisibleRun
  listTaskBindings: Binding
  listRoomBindings: Binding
  listSecrets: SecretBinding
  listTaskSecrets: SecretBinding
  listTaskSecretApprovals: SecretApproval
  listExtendedSecretApprovals: ExtendedSecretApproval
  listOwnChatrooms: OwnChatroom
  listOwnDepartments: OwnDepartment
  listFindings: SecurityFinding
  listExceptions: SecurityException
  listSocialMediaClients: SocialMediaClient
  listRunFiles: RunArtifact
  listRunLinks: RunLink
  listInputFiles: InputFile
  listExtendedRuns: ExtendedRun
  listSessions: Session
  listRoomSessions: Session
  listSessionFiles: SessionFile
  listNotifications: Notification
  listRoomMessages: RoomMessage
  listTables: CustomTable
  listRows: TableRow
  listRoomRows: TableRow
  listTableCommands: TableCommand
  listRoomCommands: TableCommand
  listTableTriggers: TableTrigger
  listTriggerEvents: TriggerEvent
  listAuditEntries: AuditEntry
  listWebhookDeliveries: WebhookDelivery
}

/** The type of an event, by the operation that streams it. */
export interface Streams {
  followRunLog: RunLogEvent
  followBuildLog: BuildLogEvent
  followRunEvents: RunStateEvent
  followBuildEvents: BuildStateEvent
}
