// SPDX-License-Identifier: BSD-3-Clause
package tare.instrument;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.AdviceAdapter;

/**
 * enter(region); try { the method } finally { leave(region); } A constructor enters behind the call of the one above.
 */
final class MethodWithHooks extends AdviceAdapter {
    private static final String PROBE = "tare/agent/Probe";

    private final long region;
    private final boolean hasFrames;
    private final Label begin = new Label();
    private boolean hasEntered;

    MethodWithHooks(MethodVisitor next, int access, String name, String descriptor, long region, boolean hasFrames) {
        super(Opcodes.ASM9, next, access, name, descriptor);
        this.region = region;
        this.hasFrames = hasFrames;
    }

    private void call(String hook) {
        mv.visitLdcInsn(region);
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, PROBE, hook, "(J)V", false);
    }

    @Override
    protected void onMethodEnter() {
        call("enter");
        mv.visitLabel(begin);
        hasEntered = true;
    }

    /** What is thrown comes by the end. */
    @Override
    protected void onMethodExit(int opcode) {
        if (hasEntered && opcode != Opcodes.ATHROW) {
            call("leave");
        }
    }

    /** Last, so that the method's own handlers are asked before. */
    @Override
    public void visitMaxs(int stack, int locals) {
        if (hasEntered) {
            Label end = new Label();
            mv.visitTryCatchBlock(begin, end, end, null);
            mv.visitLabel(end);
            // Whatever lies in the method's variables: nothing of it is needed.
            if (hasFrames) {
                mv.visitFrame(Opcodes.F_NEW, 0, null, 1, new Object[] {"java/lang/Throwable"});
            }
            call("leave");
            mv.visitInsn(Opcodes.ATHROW);
        }
        super.visitMaxs(stack, locals);
    }
}
