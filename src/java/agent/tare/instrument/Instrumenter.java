// SPDX-License-Identifier: BSD-3-Clause
package tare.instrument;

import java.util.function.UnaryOperator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import tare.agent.Probe;

/**
 * Puts hooks into the methods of a class file. Its methods may run on several threads at once.
 */
public final class Instrumenter implements UnaryOperator<byte[]> {
    /** Null: the class stays as it is, because no method of it is measured, or because it cannot be changed. */
    @Override
    public byte[] apply(byte[] file) {
        try {
            ClassReader reader = new ClassReader(file);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            Methods methods = new Methods(writer);
            reader.accept(methods, ClassReader.EXPAND_FRAMES);
            return methods.haveHooks ? writer.toByteArray() : null;
        } catch (RuntimeException impossible) {
            // A method that would be too large, or a class file that is newer than the library.
            return null;
        }
    }

    private static final class Methods extends ClassVisitor {
        private String className;
        private boolean hasFrames;
        private boolean haveHooks;

        Methods(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String above, String[] interfaces) {
            className = name;
            hasFrames = (version & 0xffff) >= Opcodes.V1_6;
            super.visit(version, access, name, signature, above, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
                                         String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            long region = isWritten(access, name) ? Probe.regionOf(className, name, descriptor) : 0;
            if (region == 0) {
                return next;
            }
            haveHooks = true;
            return new MethodWithHooks(next, access, name, descriptor, region, hasFrames);
        }

        /** There is code, and somebody has written it; a lambda's body is a method that the compiler has named. */
        private static boolean isWritten(int access, String name) {
            boolean isMade = (access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_SYNTHETIC)) != 0;
            return (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0
                && (!isMade || name.startsWith("lambda$"));
        }
    }
}
