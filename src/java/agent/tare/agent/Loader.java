// SPDX-License-Identifier: BSD-3-Clause
package tare.agent;

import java.io.File;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.function.UnaryOperator;

/**
 * Brings the instrumenter and its library into the process, where no class of the program sees them: it may have
 * another version of the same library.
 */
public final class Loader {
    private static final String INSTRUMENTER = "tare.instrument.Instrumenter";
    private static UnaryOperator<byte[]> instrumenter;

    private Loader() {}

    @SuppressWarnings("unchecked")
    private static void load(String[] jars) throws Exception {
        URL[] places = new URL[jars.length];
        for (int i = 0; i < jars.length; i++) {
            places[i] = new File(jars[i]).toURI().toURL();
        }
        ClassLoader own = new URLClassLoader("tare", places, null);
        instrumenter = (UnaryOperator<byte[]>) own.loadClass(INSTRUMENTER).getDeclaredConstructor().newInstance();
        // All that it needs is loaded now, and not in the middle of another class.
        try (InputStream file = own.getResourceAsStream(INSTRUMENTER.replace('.', '/') + ".class")) {
            instrument(file.readAllBytes());
        }
    }

    /** The class file with hooks; null: as it was. */
    private static byte[] instrument(byte[] file) {
        return instrumenter.apply(file);
    }
}
