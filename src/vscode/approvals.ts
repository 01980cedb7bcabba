// What may run: the person's answer to one question, or what they allowed before (product.md, security §0).
import type { ToolProposal } from "../core/agent/agent-tool.ts";
import type { BeforeToolCall } from "../core/agent/tool-execution.ts";
import { toError } from "../core/errors.ts";
import type { ApprovalsMode } from "../protocol/view-state.ts";

export type Decision = "allow" | "deny" | "allowForSession";

export interface ApprovalQuestion {
  nonce: string;
  callId: string;
  toolName: string;
  proposal: ToolProposal;
}

export interface ApprovalPolicy {
  mode: () => ApprovalsMode;
  /** Commands allowed for good, word by word. */
  allowedCommands: () => readonly string[];
}

/** The approvals of one session: open questions, grants, and what each call was allowed to do. */
export class Approvals {
  readonly #policy: ApprovalPolicy;
  readonly #newNonce: () => string;
  readonly #onChange: () => void;
  readonly #questions = new Map<string, { question: ApprovalQuestion; answer: (decision: Decision) => void }>();
  readonly #grants = new Set<string>();
  /** Hash of what was allowed, by call. */
  readonly #allowed = new Map<string, string>();

  constructor(policy: ApprovalPolicy, newNonce: () => string, onChange: () => void) {
    this.#policy = policy;
    this.#newNonce = newNonce;
    this.#onChange = onChange;
  }

  get questions(): ApprovalQuestion[] {
    return [...this.#questions.values()].map(({ question }) => question);
  }

  /** The proposal of a call that waits for an answer, for opening it in the editor. */
  proposalOf(callId: string): ToolProposal | undefined {
    return this.questions.find((question) => question.callId === callId)?.proposal;
  }

  /** True where nothing need be asked: the mode or an earlier answer covers it, and nothing about it is unusual. */
  covers(proposal: ToolProposal): boolean {
    if (proposal.warnings.length > 0) return false;
    if (proposal.sessionKey !== undefined && this.#grants.has(proposal.sessionKey)) return true;
    const mode = this.#policy.mode();
    if (proposal.kind === "edit") return mode === "edits" || mode === "all";
    if (proposal.kind === "command") {
      if (mode === "all") return true;
      return proposal.sessionKey !== undefined && this.#policy.allowedCommands().includes(proposal.command ?? "");
    }
    return false;
  }

  /** Called before each tool runs; asks where it must. */
  async approve(
    { call, tool, params }: BeforeToolCall,
    signal: AbortSignal,
  ): Promise<{ block?: boolean; reason?: string } | undefined> {
    let proposal: ToolProposal | undefined;
    try {
      proposal = await tool.propose?.(params, signal);
    } catch (error) {
      // What cannot even be proposed (a text that is not there, a path that is refused) need not be asked.
      return { block: true, reason: toError(error).message };
    }
    if (proposal === undefined) return undefined;
    if (!this.covers(proposal)) {
      const decision = await this.#ask(call.id, call.name, proposal, signal);
      if (decision === "deny") {
        return { block: true, reason: "The user denied this. Do not try it another way; ask what they want instead." };
      }
      if (decision === "allowForSession" && proposal.sessionKey !== undefined) this.#grants.add(proposal.sessionKey);
    }
    this.#allowed.set(call.id, proposal.hash);
    return undefined;
  }

  /** Right before the side effect: throws where what would happen now is not what was allowed. */
  guard(callId: string, proposal: ToolProposal): void {
    const allowed = this.#allowed.get(callId);
    this.#allowed.delete(callId);
    if (allowed === proposal.hash) return;
    if (allowed === undefined) throw new Error("This was not approved.");
    throw new Error("The file or command changed after it was approved, so nothing was done. Look again and retry.");
  }

  #ask(callId: string, toolName: string, proposal: ToolProposal, signal: AbortSignal): Promise<Decision> {
    if (signal.aborted) return Promise.resolve("deny");
    return new Promise((resolve) => {
      const nonce = this.#newNonce();
      const settle = (decision: Decision) => {
        signal.removeEventListener("abort", onAbort);
        this.#questions.delete(nonce);
        this.#onChange();
        resolve(decision);
      };
      const onAbort = () => settle("deny");
      signal.addEventListener("abort", onAbort, { once: true });
      this.#questions.set(nonce, { question: { nonce, callId, toolName, proposal }, answer: settle });
      this.#onChange();
    });
  }

  /** An answer from the screen; false where no such question is open (an old or a forged answer). */
  answer(nonce: string, decision: Decision): boolean {
    const open = this.#questions.get(nonce);
    if (open === undefined) return false;
    open.answer(decision);
    return true;
  }

  /** Asks the open questions again under the policy as it is now: a mode that covers one answers it. */
  reconsider(): void {
    for (const { question, answer } of [...this.#questions.values()]) {
      if (this.covers(question.proposal)) answer("allow");
    }
  }
}
